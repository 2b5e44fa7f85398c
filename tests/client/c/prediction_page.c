/* The example of docs/prediction.md in C: the same rules, stepped by a host. */
#include <mobula_client.h>
#include <stddef.h>
#include <stdlib.h>

/* Components lie as the schema declares them; mobula_client_field describes that. */
typedef struct vec3 {
  float x, y, z;
} vec3;
typedef struct body {
  vec3 position, velocity;
} body;
typedef struct surface {
  float friction;
} surface;

typedef struct components {
  uint32_t body, surface; /* their numbers */
} components;

static void run_commands(mobula_client client, components number) {
  mobula_command commands[64];
  uint32_t count = 0;
  mobula_step_read_commands(client, commands, 64, &count);
  for (uint32_t i = 0; i < count && i < 64; ++i) {
    const mobula_entity avatar = commands[i].entity;
    body own;
    if (commands[i].size != 1) continue;
    if (mobula_step_read(client, avatar, number.body, &own, sizeof own) != MOBULA_OK) continue;
    own.velocity.x += *(const char*)commands[i].bytes == 'l' ? -1.0f : 1.0f;
    mobula_step_write(client, avatar, number.body, &own, sizeof own);
    mobula_step_effect(client, "step", avatar << 32 | commands[i].number, NULL, 0);
  }
}

static void move_bodies(mobula_client client, components number, float seconds) {
  uint32_t count = 0;
  mobula_step_read_stepped(client, &number.body, 1, NULL, 0, &count); /* counts them */
  mobula_entity* const entities = malloc(count * sizeof *entities);
  body* const bodies = malloc(count * sizeof *bodies);
  if (entities != NULL && bodies != NULL) {
    mobula_step_read_stepped(client, &number.body, 1, entities, count, &count);
    mobula_step_read_column(client, number.body, entities, count, bodies, 0);
    for (uint32_t i = 0; i < count; ++i) {
      surface ground;
      if (mobula_step_read(client, entities[i], number.surface, &ground, sizeof ground) == MOBULA_OK)
        bodies[i].velocity.x *= 1 - ground.friction;
      bodies[i].position.x += bodies[i].velocity.x * seconds;
    }
    mobula_step_write_column(client, number.body, entities, count, bodies, 0);
  }
  free(entities);
  free(bodies);
}

/* Once, after mobula_client_create. */
mobula_result begin_to_predict(mobula_client client) {
  mobula_prediction_options options = {.struct_size = sizeof options, .reads = "Surface", .input_delay_most = 3};
  return mobula_prediction_create(client, &options);
}

/* In each frame, after mobula_client_poll. Writes where the player's body is to be drawn. */
mobula_result predict_frame(mobula_client client, int64_t now, mobula_entity avatar, float* x) {
  mobula_step step = {.struct_size = sizeof step};
  components number = {MOBULA_NO_COMPONENT, MOBULA_NO_COMPONENT};
  body shown;
  mobula_result result = mobula_prediction_begin_update(client, now);
  mobula_client_find_component(client, "Body", NULL, &number.body);
  mobula_client_find_component(client, "Surface", NULL, &number.surface);
  while (result == MOBULA_OK && (result = mobula_prediction_next_step(client, &step)) == MOBULA_OK) {
    run_commands(client, number);
    move_bodies(client, number, step.seconds);
    mobula_prediction_end_step(client);
  }
  if (result != MOBULA_NOTHING) return result;
  if (mobula_prediction_sample(client, avatar, number.body, &shown, sizeof shown) == MOBULA_OK) *x = shown.position.x;
  return MOBULA_OK;
}
