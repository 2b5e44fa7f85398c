/* Joins a server and prints where the player's entity is, for ten seconds:
 *
 *   curl -s -d '{"count": 1}' localhost:7780/api/tokens | cut -d '"' -f 4 > demo.token
 *   cc -std=c99 example.c -lmobula-client -o example
 *   ./example demo.token localhost:7777
 */
#include <mobula_client.h>
#include <stdio.h>
#include <string.h>

static int fail(const char* step, mobula_result result) {
  char text[256] = "";
  uint32_t length;
  mobula_error_text(text, sizeof text, &length);
  fprintf(stderr, "%s: %s (%s)\n", step, mobula_strerror(result), text);
  return 1;
}

/* Returns MOBULA_OK after ten seconds, or the error with which the connection has ended. */
static mobula_result play(mobula_client client) {
  const int64_t end = mobula_now() + 10 * INT64_C(1000000000);
  uint32_t shown = 0;
  while (mobula_now() < end) {
    const mobula_result polled = mobula_client_poll(client, 50);
    if (polled != MOBULA_OK) return polled;
    mobula_status status = {.struct_size = sizeof status};
    mobula_client_status(client, &status);
    mobula_pose pose; /* none as long as the player's entity has not arrived */
    if (status.tick == shown) continue;
    if (mobula_client_sample_pose(client, status.player, status.tick, &pose) != MOBULA_OK) continue;
    shown = status.tick;
    printf("tick %u of %u entities: the player is at %.2f %.2f %.2f\n", (unsigned)shown, (unsigned)status.entities,
           pose.position[0], pose.position[1], pose.position[2]);
    fflush(stdout);
  }
  return MOBULA_OK;
}

int main(int argc, char** argv) {
  char token[4096];
  FILE* const file = argc == 2 || argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: %s TOKEN_FILE [HOST:PORT]\n", argv[0]);
    return 2;
  }
  mobula_client_options options = {.struct_size = sizeof options, .name = "c", .token = token};
  options.token_size = fread(token, 1, sizeof token, file);
  fclose(file);

  mobula_client client;
  mobula_result result = mobula_client_create(&options, mobula_now(), &client);
  if (result != MOBULA_OK) return fail("create", result);
  result = mobula_client_connect_udp(client, argc == 3 ? argv[2] : NULL);
  if (result == MOBULA_OK) result = play(client);
  const int status = result == MOBULA_OK ? 0 : fail("play", result);
  mobula_client_destroy(client);
  return status;
}
