/* Joins the demo, moves along the x axis, and prints where the player's entity is, for ten seconds:
 *
 *   curl -s -d '{"count": 1}' localhost:7780/api/tokens | cut -d '"' -f 4 > demo.token
 *   ./example demo.token localhost:7777 demo_commands.bfbs     (without the last one: does not move)
 * The build of the server makes demo_commands.bfbs, and packages have it in share/mobula.
 */
#include <mobula_client.h>
#include <stdio.h>

static int fail(const char* step, mobula_result result) {
  char text[256] = "";
  uint32_t length;
  mobula_error_text(text, sizeof text, &length);
  fprintf(stderr, "%s: %s (%s)\n", step, mobula_strerror(result), text);
  return 1;
}

/* Returns the number of bytes that it has read; 0 if there is no such file. */
static size_t read_file(const char* path, char* bytes, size_t size) {
  FILE* const file = fopen(path, "rb");
  const size_t read = file == NULL ? 0 : fread(bytes, 1, size, file);
  if (file != NULL) fclose(file);
  return read;
}

/* Returns MOBULA_OK after ten seconds, or the error with which the connection has ended. */
static mobula_result play(mobula_client client, const char* command) {
  const int64_t end = mobula_now() + 10 * INT64_C(1000000000);
  mobula_result result = MOBULA_OK;
  for (uint32_t shown = 0; result == MOBULA_OK && mobula_now() < end; result = mobula_client_poll(client, 50)) {
    mobula_status status = {.struct_size = sizeof status};
    mobula_client_status(client, &status);
    mobula_pose pose; /* none as long as the player's entity has not arrived */
    if (status.tick == shown) continue;
    if (mobula_client_sample_pose(client, status.player, status.tick, &pose) != MOBULA_OK) continue;
    if (shown == 0 && command != NULL) mobula_client_set_command_json(client, command);
    shown = status.tick;
    printf("tick %u of %u entities: the player is at %.2f %.2f %.2f\n", (unsigned)shown, (unsigned)status.entities,
           pose.position[0], pose.position[1], pose.position[2]);
    fflush(stdout);
  }
  return result;
}

int main(int argc, char** argv) {
  static char token[4096], commands[65536];
  mobula_client_options options = {.struct_size = sizeof options, .name = "c", .token = token};
  if (argc >= 2 && argc <= 4) options.token_size = read_file(argv[1], token, sizeof token);
  const size_t size = argc == 4 ? read_file(argv[3], commands, sizeof commands) : 0;
  if (options.token_size == 0) return fprintf(stderr, "usage: %s TOKEN_FILE [HOST:PORT [COMMANDS.bfbs]]\n", argv[0]), 2;
  mobula_client client;
  mobula_result result = mobula_client_create(&options, mobula_now(), &client);
  if (result != MOBULA_OK) return fail("create", result);
  if (argc == 4) result = mobula_client_set_command_schema(client, commands, size);
  if (result == MOBULA_OK) result = mobula_client_connect_udp(client, argc >= 3 ? argv[2] : NULL);
  if (result == MOBULA_OK) result = play(client, size > 0 ? "{\"body_type\": \"Move\", \"body\": {\"x\": 1}}" : NULL);
  if (result != MOBULA_OK) fail("play", result);
  mobula_client_destroy(client);
  return result == MOBULA_OK ? 0 : 1;
}
