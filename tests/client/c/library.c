/* A host in C99: the library is linked, and refuses misuse with a code and a text. */
#include <mobula_client.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  mobula_client_options options;
  mobula_client client;
  char text[256];
  uint32_t length = 0;
  memset(&options, 0, sizeof options);
  if (mobula_client_create(&options, 0, &client) != MOBULA_ERROR_INVALID_ARGUMENT) return 1;
  if (mobula_error_text(text, sizeof text, &length) != MOBULA_OK || strlen(text) != length) return 2;
  options.struct_size = sizeof options;
  options.token = "nonsense";
  options.token_size = 8;
  if (mobula_client_create(&options, mobula_now(), &client) != MOBULA_ERROR_BAD_TOKEN) return 3;
  if (client.generation != 0 || mobula_client_destroy(client) != MOBULA_ERROR_INVALID_CLIENT) return 4;
  printf("%u.%u.%u %s\n", mobula_version() >> 16, mobula_version() >> 8 & 255, mobula_version() & 255,
         mobula_strerror(MOBULA_ERROR_BAD_TOKEN));
  return 0;
}
