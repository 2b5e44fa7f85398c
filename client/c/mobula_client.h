/* Mobula's client for C, and for every language that can call C.
 *
 *   connect token ──► mobula_client_create ──► connecting ──► joining ──► playing ──► closed
 *
 * A client mirrors the world of a server: the same entity handles, and the values that the server published. One step
 * of a client, usually per frame, is an update. After it the host reads what has changed:
 *
 *   mobula_client_connect_udp(client, NULL);                   with the library's socket:
 *   while (mobula_client_poll(client, 20) == MOBULA_OK) {
 *     mobula_client_read_changes(client, changes, 256, &count);
 *     …
 *   }
 *
 *   mobula_client_receive(client, datagram, size, now);        with a socket of the host:
 *   mobula_client_update(client, now);
 *   while (mobula_client_next_datagram(client, buffer, sizeof buffer, &size) == MOBULA_OK) send(socket, buffer, size, 0);
 *
 * Rules of all functions:
 *
 * - Results. A function returns MOBULA_OK, MOBULA_NOTHING (there is none, now), or an error below 0. An error has no
 *   effect, and the client remains usable. mobula_strerror describes the code, mobula_error_text what was wrong.
 * - Memory. The library copies what it is given, and writes into memory of the caller. A pointer that it returns belongs
 *   to the client; each function states how long it is valid.
 * - Arrays and texts. The caller gives a buffer and its capacity. *count or *length is what there is to write. If that
 *   is more than the capacity, the function writes as much as fits and returns MOBULA_ERROR_BUFFER_TOO_SMALL. With a
 *   capacity of 0 the buffer may be null. Texts are UTF-8. They end with a zero byte, which *length does not count.
 * - Structs that may grow begin with struct_size. Set it to sizeof of the struct before the call. Members that an older
 *   library does not know remain as they are, as do those that an older host does not have.
 * - Threads. Functions may be called from any thread, but not two at a time for one client. The second call returns
 *   MOBULA_ERROR_BUSY, and fails an assertion in debug builds. Different clients are independent.
 * - Processes. A client belongs to the process that has created it. In a child of fork() its handles are refused with
 *   MOBULA_ERROR_WRONG_STATE, except by mobula_client_destroy, which frees the copy and sends nothing. The child may
 *   create clients of its own. Its log has copies of the parent's lines, or none if the fork interrupted a thread that
 *   used the log. No function may be called from a signal handler.
 * - Out of memory. The process ends if the system has no memory left.
 * - Times are nanoseconds of a monotonic clock, such as mobula_now. A time before that of the client's last call counts
 *   as that one. Clients with the library's socket use mobula_now.
 * - Byte order. Component values, entity handles and texts of the wire are little-endian, as is every supported machine.
 */
#ifndef MOBULA_CLIENT_H
#define MOBULA_CLIENT_H

#include <stdint.h>

#if defined(_WIN32)
#if defined(MOBULA_CLIENT_BUILD)
#define MOBULA_API __declspec(dllexport)
#elif defined(MOBULA_CLIENT_STATIC)
#define MOBULA_API
#else
#define MOBULA_API __declspec(dllimport)
#endif
#else
#define MOBULA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Results ------------------------------------------------------------------------------------------------------ */

typedef int32_t mobula_result;

enum {
  MOBULA_OK = 0,
  MOBULA_NOTHING = 1, /* no error: nothing is there to hand out, or nothing happened */

  MOBULA_ERROR_INVALID_ARGUMENT = -1, /* null where that is not allowed, or a value out of its range */
  MOBULA_ERROR_INVALID_CLIENT = -2,   /* never created, or destroyed */
  MOBULA_ERROR_BUFFER_TOO_SMALL = -3, /* *count or *length is what there is */
  MOBULA_ERROR_BUSY = -4,             /* another thread is in a call for this client */
  MOBULA_ERROR_CLOSED = -5,           /* the connection is closed; mobula_client_reason has the cause */
  MOBULA_ERROR_WRONG_STATE = -6,      /* not now, such as a second pipe, or a reconnect of an open connection */
  MOBULA_ERROR_BAD_TOKEN = -7,        /* not a connect token, or damaged */
  MOBULA_ERROR_BAD_SCHEMA = -8,       /* not a .bfbs, or one that exceeds the limits */
  MOBULA_ERROR_BAD_JSON = -9,         /* not JSON, or not what the schema declares */
  MOBULA_ERROR_BAD_LEVEL = -10,       /* not the level that its hash announces, or damaged */
  MOBULA_ERROR_BAD_ADDRESS = -11,     /* not an address, or not found */
  MOBULA_ERROR_SOCKET = -12,          /* the system refused a socket operation */
  MOBULA_ERROR_NO_MIRROR = -13,       /* the server has not accepted the client yet, or the client mirrors nothing */
  MOBULA_ERROR_NO_ENTITY = -14,       /* not in the mirror */
  MOBULA_ERROR_NO_COMPONENT = -15,    /* unknown, or the entity does not have it */
  MOBULA_ERROR_NO_PROPERTY = -16,     /* the component has no such field */
  MOBULA_ERROR_TOO_LARGE = -17,       /* beyond a limit of the protocol */
  MOBULA_ERROR_TOO_MANY_CLIENTS = -18, /* MOBULA_CLIENTS_MAX exist */
  MOBULA_ERROR_NO_ACCESS = -19,        /* the step may not read or write this component */
  MOBULA_ERROR_BAD_RULES = -20         /* no such rules, or the server's schema does not fit them */
};

enum {
  MOBULA_CLIENTS_MAX = 16384,      /* clients of one process at a time */
  MOBULA_DATAGRAM_BYTES_MAX = 1400 /* no datagram is larger, in either direction */
};

/* Returns a short English text for a result; never null. Valid for ever. */
MOBULA_API const char* mobula_strerror(mobula_result result);

/* Writes what was wrong in the last call of this thread that returned an error. NOTHING if none did. */
MOBULA_API mobula_result mobula_error_text(char* text, uint32_t capacity, uint32_t* length);

/* Version of the library: major, minor, patch in 8 bits each, such as 0x000200 for 0.2.0. */
MOBULA_API uint32_t mobula_version(void);
/* Version of the wire protocol. A server with another one refuses the client. */
MOBULA_API uint32_t mobula_protocol_version(void);
/* Monotonic time in nanoseconds. */
MOBULA_API int64_t mobula_now(void);

/* --- Life --------------------------------------------------------------------------------------------------------- */

/* Handle of a client. Zero is no client. A handle of a destroyed client is never valid again. */
typedef struct mobula_client {
  uint32_t index;
  uint32_t generation;
} mobula_client;

enum {
  MOBULA_SPECTATE = 1 << 0,  /* join without an entity and without commands */
  MOBULA_NO_VERIFY = 1 << 1, /* do not ask the server for hashes of the mirror */
  MOBULA_NO_MIRROR = 1 << 2, /* acknowledge deltas unread and mirror nothing, for load tests */
  MOBULA_LEVELS = 1 << 3     /* request the server's level; see "Levels" */
};

typedef struct mobula_client_options {
  uint32_t struct_size; /* at least that of this version: the struct may grow, and never shrinks */
  uint32_t flags;
  const char* name;     /* player's name, printable, at most 24 bytes; null if there is none */
  const void* token;    /* connect token: its 2,048 bytes, or these as base64 text */
  uint64_t token_size;  /* bytes at `token` */
  const void* schema;   /* .bfbs that the host was built with; a server with another one refuses. Null accepts any */
  uint64_t schema_size; /* bytes at `schema` */
} mobula_client_options;

/* Creates a client that connects to the server of a token. Nothing is sent before the first update. On an error *client
 * is no client. Errors: INVALID_ARGUMENT, BAD_TOKEN, BAD_SCHEMA, TOO_MANY_CLIENTS. */
MOBULA_API mobula_result mobula_client_create(const mobula_client_options* options, int64_t now, mobula_client* client);

/* Destroys a client, and leaves the server if the library has the socket. All pointers of the client become invalid.
 * With a socket of the host, call mobula_client_leave and send its datagrams first. Errors: BUSY, where the client
 * remains; call it again later. */
MOBULA_API mobula_result mobula_client_destroy(mobula_client client);

/* Leaves the server. With a socket of the host, mobula_client_next_datagram then returns the farewell. */
MOBULA_API mobula_result mobula_client_leave(mobula_client client);

enum { MOBULA_CONNECTING = 0, MOBULA_JOINING = 1, MOBULA_PLAYING = 2, MOBULA_CLOSED = 3 };

/* Handle of an entity, the same on the server: generation << 32 | index. Fields of components that refer to entities
 * have the same 8 bytes. 0 is no entity. As text: index.generation. */
typedef uint64_t mobula_entity;

typedef struct mobula_status {
  uint32_t struct_size;
  uint32_t state;            /* MOBULA_CONNECTING … */
  uint32_t can_rejoin;       /* 1: the connection was lost, and mobula_client_rejoin may resume it */
  uint32_t can_reconnect;    /* 1: mobula_client_reconnect with a new token leads on */
  uint32_t ticks_per_second; /* the server's; 0 until it has accepted the client */
  uint32_t tick;             /* that of the newest delta */
  uint32_t complete;         /* 1: the mirror holds all that the server had to send with the newest delta */
  uint32_t mirror;           /* number of the mirror, from 1; 0 without one. Another number: read everything anew */
  uint32_t entities;         /* in view */
  uint32_t closing_seconds;  /* seconds until the server's announced end; 0xffffffff if none is announced */
  mobula_entity player;      /* the player's own entity; may change at any time, and may not be in the mirror yet */
  uint64_t mirror_hash;      /* sum of the hashes of all entities in view */
  uint32_t server;           /* position of the address that datagrams go to; see mobula_client_server_address */
  uint32_t rejoin_tokens;    /* tokens to resume a lost connection with; 0 until they have arrived */
} mobula_status;

MOBULA_API mobula_result mobula_client_status(mobula_client client, mobula_status* status);

/* Why the connection is closed; numbers of the wire. */
enum {
  MOBULA_REASON_NONE = 0,
  MOBULA_REASON_OTHER_PROTOCOL,
  MOBULA_REASON_SERVER_FULL,
  MOBULA_REASON_REFUSED,
  MOBULA_REASON_TIMED_OUT,
  MOBULA_REASON_LEFT,
  MOBULA_REASON_KICKED,
  MOBULA_REASON_SHUTTING_DOWN,
  MOBULA_REASON_PROTOCOL_ERROR,
  MOBULA_REASON_REPLACED,
  MOBULA_REASON_TOKEN_EXPIRED,
  MOBULA_REASON_INVALID_TOKEN,
  MOBULA_REASON_NO_ANSWER,
  MOBULA_REASON_HANDSHAKE_TIMED_OUT,
  MOBULA_REASON_PIPE_LOST,
  MOBULA_REASON_FLOODING,
  MOBULA_REASON_MOVED /* the text is the world of the cluster to which the player was sent; mobula_client_reconnect with
                         a token of that world follows it, to the addresses of the token */
};

/* Writes the code and a text of why the connection is closed. NOTHING while it is not. */
MOBULA_API mobula_result mobula_client_reason(mobula_client client, int32_t* code, char* text, uint32_t capacity,
                                              uint32_t* length);

/* --- Network ------------------------------------------------------------------------------------------------------ */

/* Opens the library's UDP socket. `address` is HOST, HOST:PORT or udp://HOST:PORT, also for later tokens. Without a
 * port it is 7777. A name is resolved, which may block. Null uses the addresses of the token, one after the other. Errors:
 * BAD_ADDRESS, SOCKET, WRONG_STATE if the socket is open or the host has given datagrams or updates. A command that was set
 * remains. */
MOBULA_API mobula_result mobula_client_connect_udp(mobula_client client, const char* address);

/* Receives, updates and sends over the library's socket. Waits at most `timeout_ms` for a datagram or the next wake-up.
 * When the player goes to another zone of the world, the client follows it: the mirror goes on, and
 * mobula_client_changes lists what differs.
 * A lost connection is resumed with the server's rejoin tokens, for a minute or as long as the server keeps the player.
 * Meanwhile the result is MOBULA_OK. When the first address has not answered mobula_status.can_reconnect is 1, and a
 * host with a new token may reconnect: a server that was restarted answers no rejoin token of its former run. Errors:
 * CLOSED when the connection is closed for good, or needs a new token (mobula_status.can_reconnect); what the last step
 * has changed can be read then. WRONG_STATE without the library's socket. */
MOBULA_API mobula_result mobula_client_poll(mobula_client client, uint32_t timeout_ms);

/* Writes an address of the server, such as "192.0.2.1:7777". They are those of the token, or of connect_udp, and are tried
 * in this order: mobula_status.server is the position of the current one. NOTHING if there are fewer. */
MOBULA_API mobula_result mobula_client_server_address(mobula_client client, uint32_t at, char* text, uint32_t capacity,
                                                      uint32_t* length);

/* Processes a datagram that the host received from the server. Damaged and foreign ones are dropped.
 * Errors: WRONG_STATE with the library's socket. */
MOBULA_API mobula_result mobula_client_receive(mobula_client client, const void* datagram, uint32_t size, int64_t now);

/* Takes a step: sends acknowledgements and the command, and hands out changes and events. Those of the step before are
 * no longer valid. Call it with each frame, or about once per tick of the server. Errors: CLOSED, where the step has
 * been taken; WRONG_STATE with the library's socket. */
MOBULA_API mobula_result mobula_client_update(mobula_client client, int64_t now);

/* Writes the next datagram to send to the server. NOTHING if none is left. A buffer of MOBULA_DATAGRAM_BYTES_MAX bytes
 * is large enough; one that is too small leaves the datagram. */
MOBULA_API mobula_result mobula_client_next_datagram(mobula_client client, void* buffer, uint32_t capacity,
                                                     uint32_t* size);

/* Writes the time by which the host should call mobula_client_update, if no datagram arrives before. */
MOBULA_API mobula_result mobula_client_next_wakeup(mobula_client client, int64_t now, int64_t* at);

/* Reports that the host's stream to the server has ended. `why` may be null. */
MOBULA_API mobula_result mobula_client_pipe_closed(mobula_client client, const char* why, int64_t now);

/* Resumes as the same player. The host opens a new socket before, as the server may still have a session for the address of
 * the old one. Errors: WRONG_STATE unless mobula_status.can_rejoin, or with the library's socket, which rejoins itself. */
MOBULA_API mobula_result mobula_client_rejoin(mobula_client client, int64_t now);

/* Starts a new session with a new token. Errors: BAD_TOKEN, SOCKET, WRONG_STATE unless the connection is closed or
 * mobula_status.can_reconnect. */
MOBULA_API mobula_result mobula_client_reconnect(mobula_client client, const void* token, uint64_t token_size,
                                                 int64_t now);

typedef struct mobula_statistics {
  uint32_t struct_size;
  uint32_t loss_permille;        /* sent datagrams that are lost */
  int64_t rtt;                   /* nanoseconds; 0 until measured */
  int64_t rtt_variation;         /* nanoseconds */
  int64_t jitter;                /* spread of arrivals, nanoseconds */
  uint64_t bytes_received;       /* all datagrams; UDP and IP not included */
  uint64_t bytes_sent;           /* likewise */
  uint64_t datagrams_received;
  uint64_t datagrams_sent;
  uint64_t deltas;               /* accepted */
  uint64_t late_deltas;          /* arrived after a newer one */
  uint64_t lost_deltas;
  uint64_t verified_ticks;       /* hashes of the server that matched the mirror */
  uint64_t mismatched_ticks;     /* hashes that did not */
  uint64_t corrections;          /* entities that the server reported as wrong */
  uint64_t events;
  uint64_t refused_commands;
  uint64_t rejoins;              /* calls of rejoin and reconnect */
  uint64_t zone_changes;         /* how often the client has followed its player to another zone */
} mobula_statistics;

/* Writes counters since the client was created, and estimates of the path. */
MOBULA_API mobula_result mobula_client_statistics(mobula_client client, mobula_statistics* statistics);

/* --- Changes ------------------------------------------------------------------------------------------------------ */

enum {
  MOBULA_SPAWNED = 0,   /* came into view: new, or seen before */
  MOBULA_COMPOSED = 1,  /* has other components than before */
  MOBULA_CHANGED = 2,   /* a component has another value */
  MOBULA_LOST = 3,      /* out of view: stays for a while with its last values */
  MOBULA_DESTROYED = 4  /* no longer in the mirror */
};

#define MOBULA_NO_COMPONENT 0xffffffffu /* no enumerator: those of C99 are int */

typedef struct mobula_change {
  mobula_entity entity;
  uint32_t kind;
  uint32_t component; /* set for MOBULA_CHANGED; else MOBULA_NO_COMPONENT */
} mobula_change;

/* Writes what the last update has changed, in order. Each MOBULA_CHANGED names an entity and component once per update.
 * Values of fields with dead reckoning change with each tick. */
MOBULA_API mobula_result mobula_client_read_changes(mobula_client client, mobula_change* changes, uint32_t capacity,
                                                    uint32_t* count);

/* --- Entities ----------------------------------------------------------------------------------------------------- */

/* Writes the handles of all entities in the mirror, by index. */
MOBULA_API mobula_result mobula_client_read_entities(mobula_client client, mobula_entity* entities, uint32_t capacity,
                                                     uint32_t* count);

typedef struct mobula_entity_info {
  uint32_t struct_size;
  uint32_t stale;     /* 1: out of view */
  uint32_t owned;     /* 1: this player's own; its owner_only fields are sent */
  uint32_t tick;      /* that of its newest state */
  uint32_t prototype; /* which components it has: equal numbers, equal components */
} mobula_entity_info;

/* Errors: NO_ENTITY. */
MOBULA_API mobula_result mobula_client_entity(mobula_client client, mobula_entity entity, mobula_entity_info* info);

/* Writes the components that an entity has. Errors: NO_ENTITY. */
MOBULA_API mobula_result mobula_client_components_of(mobula_client client, mobula_entity entity, uint32_t* components,
                                                     uint32_t capacity, uint32_t* count);

/* --- Components --------------------------------------------------------------------------------------------------- */

/* A component is a type and the name of an instance, such as Fog named "Cave". Components have numbers from 0, which are
 * valid as long as mobula_status.mirror is the same. More may come. */

/* Finds a component. `instance` null is the default instance. Errors: NO_COMPONENT. */
MOBULA_API mobula_result mobula_client_find_component(mobula_client client, const char* type, const char* instance,
                                                      uint32_t* component);

typedef struct mobula_component_info {
  uint32_t struct_size;
  uint32_t type;        /* number of its type */
  const char* instance; /* its name; that of the type for the default instance. Valid as long as the mirror */
  uint32_t size;        /* bytes of a value */
  uint32_t entities;    /* that have it */
} mobula_component_info;

MOBULA_API mobula_result mobula_client_component_count(mobula_client client, uint32_t* count);
/* Errors: NO_COMPONENT. */
MOBULA_API mobula_result mobula_client_component(mobula_client client, uint32_t component,
                                                 mobula_component_info* info);

/* Copies a value. `capacity` is at least the component's size. Errors: NO_ENTITY, NO_COMPONENT. */
MOBULA_API mobula_result mobula_client_read(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                                            uint32_t capacity);

/* Copies a column: all entities that have the component, and their values, in the same order. Value i is written at
 * values + i * stride; a stride of 0 is the component's size. Either array may be null. */
MOBULA_API mobula_result mobula_client_read_column(mobula_client client, uint32_t component, mobula_entity* entities,
                                                   void* values, uint32_t stride, uint32_t capacity, uint32_t* count);

/* Returns where values lie, without a copy: those of the positions first … first + *count - 1 of the column, one behind
 * the other. NOTHING at the column's end. Valid until the next receive, update or poll. */
MOBULA_API mobula_result mobula_client_map_column(mobula_client client, uint32_t component, uint32_t first,
                                                  const void** values, uint32_t* count);

/* --- Values by name ----------------------------------------------------------------------------------------------- */

enum {
  MOBULA_BOOL = 0,
  MOBULA_INT8,
  MOBULA_UINT8,
  MOBULA_INT16,
  MOBULA_UINT16,
  MOBULA_INT32,
  MOBULA_UINT32,
  MOBULA_INT64,
  MOBULA_UINT64,
  MOBULA_FLOAT32,
  MOBULA_FLOAT64,
  MOBULA_QUATERNION, /* four floats: x, y, z, w */
  MOBULA_ENTITY,     /* mobula_entity */
  MOBULA_TEXT,       /* bytes, UTF-8, zeros after the text */
  MOBULA_NAME        /* a name's hash of 32 bits */
};

typedef struct mobula_value {
  uint32_t kind; /* as the field's */
  uint32_t size; /* bytes of a text, else 0 */
  union {
    int64_t integer;   /* BOOL, signed kinds; enums too */
    uint64_t unsigned_integer;
    double real;       /* FLOAT32, FLOAT64 */
    float rotation[4];
    mobula_entity entity;
    uint32_t name;
    const char* text;  /* TEXT: not terminated. Valid until the next receive, update or poll */
  } as;
} mobula_value;

/* Reads one value by its path below an entity: COMPONENT/FIELD, such as "Transform/position.x".
 * Errors: NO_ENTITY, NO_COMPONENT, NO_PROPERTY also for a struct. */
MOBULA_API mobula_result mobula_client_read_value(mobula_client client, mobula_entity entity, const char* path,
                                                  mobula_value* value);

/* Writes a component, struct, array or value as JSON. A name is a text if the mirror knows it: those of components, and with
 * MOBULA_LEVELS those of the level. Otherwise it is the number of its hash. Errors: as mobula_client_read_value. */
MOBULA_API mobula_result mobula_client_read_json(mobula_client client, mobula_entity entity, const char* path,
                                                 char* json, uint32_t capacity, uint32_t* length);

/* --- Pictures ----------------------------------------------------------------------------------------------------- */

typedef struct mobula_clock {
  uint32_t struct_size;
  uint32_t known;     /* 0 until the first delta; all ticks are 0 until then */
  double server_tick; /* where the server is */
  double target_tick; /* for which commands are given */
  double view_tick;   /* the moment to show: a little in the past, between two received states */
} mobula_clock;

/* Writes estimates of the moment `now`. The mirror keeps the states that are needed to show view_tick. */
MOBULA_API mobula_result mobula_client_clock(mobula_client client, int64_t now, mobula_clock* clock);

/* Writes a component as it was at a moment, between two states. Errors: NO_ENTITY, NO_COMPONENT also if the entity did
 * not have it then, or was not there yet. */
MOBULA_API mobula_result mobula_client_sample(mobula_client client, mobula_entity entity, uint32_t component,
                                              double view_tick, void* value, uint32_t capacity);

/* Does the same as mobula_client_read_column, with values of a moment. Omits entities that did not have the component
 * then, or have it no longer. */
MOBULA_API mobula_result mobula_client_sample_column(mobula_client client, uint32_t component, double view_tick,
                                                     mobula_entity* entities, void* values, uint32_t stride,
                                                     uint32_t capacity, uint32_t* count);

typedef struct mobula_pose {
  float position[3]; /* x, y, z */
  float rotation[4]; /* x, y, z, w */
} mobula_pose;

/* Writes an entity's place in the world at a moment: its Transform below those of its parents. Errors: NO_ENTITY,
 * NO_COMPONENT. */
MOBULA_API mobula_result mobula_client_sample_pose(mobula_client client, mobula_entity entity, double view_tick,
                                                   mobula_pose* pose);

/* --- Schema ------------------------------------------------------------------------------------------------------- */

/* The component types that the server declares, by name. Texts are valid as long as the mirror. */

typedef struct mobula_type_info {
  uint32_t struct_size;
  uint32_t size;              /* bytes of a value */
  uint32_t alignment;         /* bytes */
  uint32_t fields;
  const char* name;
  const void* default_value;  /* `size` bytes */
} mobula_type_info;

enum {
  MOBULA_FIELD_RANGED = 1 << 0,     /* low, high and step hold */
  MOBULA_FIELD_OWNER_ONLY = 1 << 1, /* sent to the owner alone; others see the default */
  MOBULA_FIELD_PREDICTED = 1 << 2,
  MOBULA_FIELD_RECKONED = 1 << 3,   /* has dead reckoning, within `tolerance` */
  MOBULA_FIELD_NOT_SENT = 1 << 4,   /* keeps its default */
  MOBULA_FIELD_CUT = 1 << 5         /* clients blend nothing across a change of it */
};

#define MOBULA_NO_FIELD 0xffffffffu

typedef struct mobula_field_info {
  uint32_t struct_size;
  uint32_t kind;         /* MOBULA_BOOL … */
  const char* path;      /* "position.x" */
  uint32_t offset;       /* bytes from the component's start; of element 0 of an array */
  uint32_t size;         /* bytes of one value */
  uint32_t count;        /* elements; more than 1 for an array */
  uint32_t stride;       /* bytes between elements */
  uint32_t flags;
  uint32_t enum_values;  /* 0 if it is not an enum */
  double low;
  double high;
  double step;           /* 0 if values are sent as they are */
  double tolerance;
  uint32_t array_length; /* bytes of the path that name the array; 5 of "slots.kind" if slots are the elements */
  uint32_t count_field;  /* number of the field that counts the used elements; MOBULA_NO_FIELD without one */
} mobula_field_info;

MOBULA_API mobula_result mobula_client_type_count(mobula_client client, uint32_t* count);
/* Errors: INVALID_ARGUMENT for a number that there is not; likewise below. */
MOBULA_API mobula_result mobula_client_type(mobula_client client, uint32_t type, mobula_type_info* info);
MOBULA_API mobula_result mobula_client_field(mobula_client client, uint32_t type, uint32_t field,
                                             mobula_field_info* info);
MOBULA_API mobula_result mobula_client_enum_value(mobula_client client, uint32_t type, uint32_t field, uint32_t at,
                                                  const char** name, int64_t* value);
/* Writes the server's schema, a .bfbs. */
MOBULA_API mobula_result mobula_client_schema(mobula_client client, const void** bytes, uint64_t* size);

/* --- Commands ----------------------------------------------------------------------------------------------------- */

/* Sets the command that the next update sends, and later ones repeat until the server has it. A second one before that
 * update replaces it. Errors: TOO_LARGE, WRONG_STATE for a spectator, CLOSED. */
MOBULA_API mobula_result mobula_client_set_command(mobula_client client, const void* command, uint32_t size);

/* Gives the .bfbs of the game's commands, whose root table is a command. Errors: BAD_SCHEMA. */
MOBULA_API mobula_result mobula_client_set_command_schema(mobula_client client, const void* bfbs, uint64_t size);

/* Sets a command from JSON of the root table, such as {"body_type": "Move", "body": {"x": 1}}. Errors: BAD_JSON,
 * BAD_SCHEMA if none was given, and those of mobula_client_set_command. */
MOBULA_API mobula_result mobula_client_set_command_json(mobula_client client, const char* json);

/* --- Prediction --------------------------------------------------------------------------------------------------- */

/* A client may run the game's rules ahead of the server, so that the player's commands take effect at once. The rules
 * are those of C++ that are compiled in, or the host's own, written in any language. After each update or poll of the
 * client the host updates the prediction, and steps the ticks that are due:
 *
 *   mobula_prediction_begin_update(client, mobula_now());
 *   while (mobula_prediction_next_step(client, &step) == MOBULA_OK) {
 *     mobula_step_read_commands(client, commands, 64, &count);
 *     mobula_step_read_stepped(client, &body, 1, entities, 256, &count);
 *     mobula_step_read_column(client, body, entities, count, bodies, 0);
 *     …
 *     mobula_step_write_column(client, body, entities, count, bodies, 0);
 *     mobula_prediction_end_step(client);
 *   }
 *   mobula_prediction_sample(client, player, body, &shown, sizeof shown);
 *
 * A tick is stepped again when the server has decided otherwise. So a step depends on nothing but what the functions
 * mobula_step_… return. It gives the same bits as the server's step: it computes floats without fused multiply-add, in
 * the same order. With rules that are compiled in, begin_update steps all ticks, and next_step has none.
 *
 * From begin_update until next_step returns MOBULA_NOTHING, an update of the prediction is in progress. Meanwhile
 * functions that receive, update or resume the client return MOBULA_ERROR_WRONG_STATE.
 *
 * A client has one prediction, which ends with it. WRONG_STATE is the result of all functions below without one. */

enum { MOBULA_NO_OWN_ENTITY = 1 << 0 /* do not predict the player's own entity */ };

/* How corrections of a component type are shown. */
typedef struct mobula_smoothing {
  const char* component; /* null for all types without an entry of their own */
  int64_t duration;      /* nanoseconds until a correction is complete; 0 shows corrections at once */
  double snap_distance;  /* a component whose position is corrected by more is shown at once */
} mobula_smoothing;

typedef struct mobula_prediction_options {
  uint32_t struct_size;
  uint32_t flags;                     /* MOBULA_NO_OWN_ENTITY */
  const char* rules;                  /* name of rules that are compiled in; null if the host steps */
  const char* reads;                  /* for a host that steps: components without predicted fields that its steps read,
                                         as "Surface Weather"; null if there are none */
  uint32_t input_delay_least;         /* ticks between a command and its effect, at any time; at most 64 */
  uint32_t input_delay_most;          /* ticks that the delay may grow to; not less; at most 64 */
  uint32_t predicted_max;             /* most ticks ahead of the newest complete one, at most 256; 0 means 32 */
  uint32_t smoothing_count;
  const mobula_smoothing* smoothing;  /* types without an entry have 150 ms and a snap distance of 4 */
  int64_t switch_duration;            /* nanoseconds, when an entity begins or ceases to be predicted; 0 means 300 ms */
  const char* position_component;     /* the statistics measure its corrections; null if the first predicted
                                         component that has them is meant */
  const char* position_field;         /* beginning of the paths of its floats, and of those that snap distances
                                         are of; null means "position" */
} mobula_prediction_options;

/* Creates the client's prediction. The host steps, with all defaults, if `options` is null. Errors: INVALID_ARGUMENT;
 * BAD_RULES if no rules have that name; BAD_SCHEMA if rules that are compiled in have no schema in the client's options;
 * NO_MIRROR if the client mirrors nothing; WRONG_STATE if it has a prediction. */
MOBULA_API mobula_result mobula_prediction_create(mobula_client client, const mobula_prediction_options* options);

/* Destroys the client's prediction, also while an update is in progress. */
MOBULA_API mobula_result mobula_prediction_destroy(mobula_client client);

/* Begins an update: reconciles what has arrived, and finds the ticks that are due. Nothing is due until the mirror was
 * complete for the first time. Errors: WRONG_STATE if an update is in progress; BAD_RULES if the server's schema lacks
 * what the rules read. */
MOBULA_API mobula_result mobula_prediction_begin_update(mobula_client client, int64_t now);

typedef struct mobula_step {
  uint32_t struct_size;
  uint32_t tick;      /* that is computed */
  uint32_t replayed;  /* 1: it was computed before */
  uint32_t commands;  /* that run in it */
  uint32_t entities;  /* that are stepped */
  float seconds;      /* length of a tick */
} mobula_step;

/* Begins the next step. NOTHING once the update is complete. Errors: WRONG_STATE if the last step has not ended. */
MOBULA_API mobula_result mobula_prediction_next_step(mobula_client client, mobula_step* step);
/* Ends the step that next_step has begun, and rounds predicted fields as the server does. Errors: WRONG_STATE without. */
MOBULA_API mobula_result mobula_prediction_end_step(mobula_client client);
/* Ends an update that cannot be completed, as after an exception in a step. Nothing is predicted until the next complete
 * tick. NOTHING if no update is in progress. */
MOBULA_API mobula_result mobula_prediction_abandon_update(mobula_client client);

/* Predicts an entity besides the player's own (1), or ceases to (0). Takes effect with the next complete tick. A new
 * mirror ends it. At most 4096 entities are predicted, the player's own first. An entity of another player with a
 * predicted field that is owner_only stays as mirrored. The counters have unpredicted_entities, and the log has the
 * reason. Errors: NO_ENTITY. */
MOBULA_API mobula_result mobula_prediction_set_predicted(mobula_client client, mobula_entity entity,
                                                         uint32_t predicted);

enum {
  MOBULA_AS_MIRRORED = 0, /* not predicted */
  MOBULA_PREDICTED = 1,
  MOBULA_ENDED = 2        /* a step has destroyed it, while the mirror still has it */
};

/* Writes whether an entity is predicted. Errors: NO_ENTITY if neither mirror nor prediction has it. */
MOBULA_API mobula_result mobula_prediction_entity(mobula_client client, mobula_entity entity, uint32_t* state);

typedef struct mobula_prediction_info {
  uint32_t struct_size;
  uint32_t started;      /* 0 until a tick of the mirror was complete for the first time */
  uint32_t tick;         /* the newest that is predicted */
  uint32_t reconciled;   /* the newest that is known to be the server's */
  double predicted_tick; /* moment to show of predicted entities, as of the last update */
  double view_tick;      /* moment to show of the others */
} mobula_prediction_info;

MOBULA_API mobula_result mobula_prediction_status(mobula_client client, mobula_prediction_info* info);

typedef struct mobula_prediction_counters {
  uint32_t struct_size;
  uint32_t predicted_ticks;       /* ticks ahead of the reconciled one, now */
  uint64_t ticks;                 /* that were computed for the first time */
  uint64_t ticks_replayed;        /* that were computed again */
  uint64_t rollbacks;             /* times that a reconciled tick was returned to */
  uint64_t late_mispredictions;   /* reconciled ticks that were not the server's, explained by late commands */
  uint64_t remote_mispredictions; /* others: something changed that this client does not predict */
  uint64_t restarts;              /* after pauses */
  uint64_t stalls;                /* times that predicted_max was reached */
  uint64_t dropped_effects;       /* not begun, as too many were running */
  uint64_t corrections;           /* rollbacks and restarts that moved a position */
  double last_correction;         /* greatest distance by which the last of them moved a position */
  double greatest_correction;
  double sum_of_corrections;
  double input_delay;             /* ticks between a command and its effect, now, but for stalls */
  uint64_t level_mispredictions;  /* others: a step read another level than the server's, which was not here */
  uint64_t unpredicted_entities;  /* chosen, but more than the limit, or owner_only and of another player; now */
  uint64_t stalled_time;          /* nanoseconds that have passed in stalls */
} mobula_prediction_counters;

/* Writes counters since the prediction was created. */
MOBULA_API mobula_result mobula_prediction_statistics(mobula_client client, mobula_prediction_counters* counters);

/* Writes the first difference of the last misprediction, such as "tick 31, entity 4.1, remote: Body.position.x is 2,
 * predicted 1.5". NOTHING if this mirror had none. */
MOBULA_API mobula_result mobula_prediction_misprediction(mobula_client client, char* text, uint32_t capacity,
                                                         uint32_t* length);

/* Writes a component as it is to be shown: of predicted entities between two predicted ticks, of others between two
 * states of the mirror. Corrections are smoothed. The moment is that of the last update. The functions below return
 * WRONG_STATE while an update is in progress. Errors: NO_ENTITY; NO_COMPONENT, also for an entity that is not shown at
 * that moment: the mirror has it some ticks before it is shown. */
MOBULA_API mobula_result mobula_prediction_sample(mobula_client client, mobula_entity entity, uint32_t component,
                                                  void* value, uint32_t capacity);
/* Does the same for all entities that have the component, those of predicted spawns included, as
 * mobula_client_sample_column. */
MOBULA_API mobula_result mobula_prediction_sample_column(mobula_client client, uint32_t component,
                                                         mobula_entity* entities, void* values, uint32_t stride,
                                                         uint32_t capacity, uint32_t* count);
/* Copies the value of the newest predicted tick, which is not smoothed. Errors: NO_ENTITY if it is not predicted,
 * NO_COMPONENT if the component is not. */
MOBULA_API mobula_result mobula_prediction_read(mobula_client client, mobula_entity entity, uint32_t component,
                                                void* value, uint32_t capacity);

enum {
  MOBULA_EFFECT_BEGUN = 0,
  MOBULA_EFFECT_CONFIRMED = 1, /* it has ended: its tick is reconciled, and has emitted it */
  MOBULA_EFFECT_CANCELLED = 2  /* it has ended: the reconciled tick has not emitted it */
};

typedef struct mobula_effect {
  uint32_t kind;       /* MOBULA_EFFECT_BEGUN … */
  uint32_t name;       /* mobula_name_hash of its name */
  uint64_t key;
  uint32_t tick;
  uint32_t size;       /* bytes of the payload */
  const void* payload; /* valid until the next update of the prediction */
} mobula_effect;

/* Writes the effects that the last update has begun and ended, in order. */
MOBULA_API mobula_result mobula_prediction_read_effects(mobula_client client, mobula_effect* effects,
                                                        uint32_t capacity, uint32_t* count);

enum {
  MOBULA_SPAWN_PREDICTED = 0, /* a step has spawned it */
  MOBULA_SPAWN_MATCHED = 1,   /* the server has spawned it: it continues as `real` */
  MOBULA_SPAWN_VANISHED = 2   /* it is destroyed, or the server has not spawned it */
};

typedef struct mobula_spawn {
  mobula_entity local; /* handle that mobula_step_spawn has returned; a replay may give it to another entity */
  mobula_entity real;  /* the server's handle for MOBULA_SPAWN_MATCHED; else 0 */
  uint32_t kind;       /* MOBULA_SPAWN_PREDICTED … */
  uint32_t command;    /* number of its command. It identifies the entity, together with `ordinal` */
  uint32_t ordinal;    /* 0 for the command's first entity */
  uint32_t reserved;
} mobula_spawn;

/* Writes how the entities have changed that steps have spawned, in order. */
MOBULA_API mobula_result mobula_prediction_read_spawns(mobula_client client, mobula_spawn* spawns, uint32_t capacity,
                                                       uint32_t* count);

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* A step uses these functions, between mobula_prediction_next_step and mobula_prediction_end_step; WRONG_STATE otherwise.
 *
 * A step writes components with a field that is predicted, and reads these and those that options.reads lists. NO_ACCESS
 * is the result for others. Components have their numbers in the mirror, and are default instances. An entity is
 * stepped if it is predicted and no step has destroyed it. */

typedef struct mobula_command {
  mobula_entity entity; /* the player's own */
  const void* bytes;    /* as they were set. Valid until the step ends */
  uint32_t size;
  uint32_t number;      /* 1, 2, … within the connection */
} mobula_command;

/* Writes the player's commands that run in this tick, by number. */
MOBULA_API mobula_result mobula_step_read_commands(mobula_client client, mobula_command* commands, uint32_t capacity,
                                                   uint32_t* count);

/* Writes the stepped entities that have all of these components, 1 to 64, ascending by index. Server and client iterate
 * in this order. Errors: NO_ACCESS, NO_COMPONENT. */
MOBULA_API mobula_result mobula_step_read_stepped(mobula_client client, const uint32_t* components,
                                                  uint32_t component_count, mobula_entity* entities,
                                                  uint32_t capacity, uint32_t* count);
/* Does the same with all entities, those that only the mirror has included. */
MOBULA_API mobula_result mobula_step_read_visible(mobula_client client, const uint32_t* components,
                                                  uint32_t component_count, mobula_entity* entities,
                                                  uint32_t capacity, uint32_t* count);

/* Copies a component of an entity, stepped or not. Errors: NO_ACCESS, NO_ENTITY, NO_COMPONENT. */
MOBULA_API mobula_result mobula_step_read(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                                          uint32_t capacity);
/* Replaces a component of a stepped entity. `size` is the component's. Errors: NO_ACCESS, NO_ENTITY, NO_COMPONENT. */
MOBULA_API mobula_result mobula_step_write(mobula_client client, mobula_entity entity, uint32_t component,
                                           const void* value, uint32_t size);
/* Copies the component of each of `count` entities, to values + i * stride. A stride of 0 is the component's size. Errors:
 * as mobula_step_read. */
MOBULA_API mobula_result mobula_step_read_column(mobula_client client, uint32_t component,
                                                 const mobula_entity* entities, uint32_t count, void* values,
                                                 uint32_t stride);
/* Replaces the component of each of `count` stepped entities. Errors: as mobula_step_write. */
MOBULA_API mobula_result mobula_step_write_column(mobula_client client, uint32_t component,
                                                  const mobula_entity* entities, uint32_t count, const void* values,
                                                  uint32_t stride);

/* Finds static data of the level that the server reads in this tick, which the client has downloaded with MOBULA_LEVELS.
 * `type` is the hash of the data's kind. NOTHING if there is none. While the client lacks that level it finds data of
 * the one before. The bytes are valid until the step ends. */
MOBULA_API mobula_result mobula_step_find_static(mobula_client client, uint64_t id, uint32_t* type,
                                                 const void** bytes, uint64_t* size);

/* State of a generator of random numbers, which is the host's: xoshiro256**. Zeros are the state of a seed of 0. */
typedef struct mobula_random {
  uint64_t a;
  uint64_t b;
  uint64_t c;
  uint64_t d;
} mobula_random;

/* Writes a generator that depends on the world's seed, the tick and the key alone. A replayed tick has the same. */
MOBULA_API mobula_result mobula_step_random(mobula_client client, uint64_t key, mobula_random* random);
/* Writes one that depends on an entity in place of the key. A spawned entity has the same on both sides. */
MOBULA_API mobula_result mobula_step_random_of(mobula_client client, mobula_entity entity, mobula_random* random);
/* Returns the next 64 random bits. 0 for null. */
MOBULA_API uint64_t mobula_random_next(mobula_random* random);
/* Returns a number in [0, bound), uniform. 0 for null or a bound of 0. */
MOBULA_API uint32_t mobula_random_below(mobula_random* random, uint32_t bound);
/* Returns a number in [low, high), uniform, of 24 random bits. `low` for null. */
MOBULA_API float mobula_random_uniform(mobula_random* random, float low, float high);

/* Spawns an entity for a command of this step, with the default values of distinct predicted components, at most 64. The
 * server's entity of the same command and position continues it; see mobula_spawn. Errors: NO_ACCESS; INVALID_ARGUMENT
 * for a command of another step; TOO_LARGE beyond 256 entities of a command, or if the client has no handles left. */
MOBULA_API mobula_result mobula_step_spawn(mobula_client client, uint32_t command, const uint32_t* components,
                                           uint32_t component_count, mobula_entity* entity);
/* Destroys a stepped entity. Errors: NO_ENTITY. */
MOBULA_API mobula_result mobula_step_destroy(mobula_client client, mobula_entity entity);

/* Emits an effect: a sound, a flash, a message. A name and key begin it once, however often the tick is stepped. So the
 * key is unique for what happens once: entity << 32 | number, of a command's number or the tick. Errors:
 * TOO_LARGE beyond 1,024 bytes of payload. */
MOBULA_API mobula_result mobula_step_effect(mobula_client client, const char* name, uint64_t key, const void* payload,
                                            uint32_t size);

/* Returns the hash of a name, as in fields of kind MOBULA_NAME. 0 for null. */
MOBULA_API uint32_t mobula_name_hash(const char* name);

/* --- Events ------------------------------------------------------------------------------------------------------- */

enum {
  MOBULA_IN_VIEW = 0, /* the entity is in the mirror, or the event is about none */
  MOBULA_REMOVED = 1, /* it was destroyed or went out of view since */
  MOBULA_UNKNOWN = 2  /* it was not received in time, and may still come */
};

typedef struct mobula_event {
  mobula_entity about; /* 0 if it is about no entity */
  uint32_t tick;
  uint32_t presence;
  const void* bytes;   /* the game's; not verified. Valid until the next receive, update or poll */
  uint32_t size;
  uint32_t reserved;
} mobula_event;

/* Writes the events of ticks that the mirror has reached with the last update, by tick. */
MOBULA_API mobula_result mobula_client_read_events(mobula_client client, mobula_event* events, uint32_t capacity,
                                                   uint32_t* count);

/* --- Levels ------------------------------------------------------------------------------------------------------- */

/* A client with MOBULA_LEVELS downloads the clients' part of the server's level, unless the host gives it. The host keeps
 * levels by their hash, in files or wherever it likes. Memory for a level grows as its bytes arrive, up to the size that
 * the server announces, which is bounded. */

enum { MOBULA_HASH_BYTES = 32 };

/* Gives a level that the host has kept, for sessions that begin later: before the first update, or before a reconnect. A
 * server that has another one sends that. Errors: BAD_LEVEL if it is damaged or not a clients' part, TOO_LARGE,
 * WRONG_STATE without MOBULA_LEVELS. */
MOBULA_API mobula_result mobula_client_add_level(mobula_client client, const void* bytes, uint64_t size);

/* Returns a level that was received, once. NOTHING if there is none. The bytes are valid until the next call of this
 * function. Errors: WRONG_STATE without MOBULA_LEVELS. */
MOBULA_API mobula_result mobula_client_next_level(mobula_client client, uint8_t hash[MOBULA_HASH_BYTES],
                                                  const void** bytes, uint64_t* size);

/* --- Logs --------------------------------------------------------------------------------------------------------- */

enum { MOBULA_LOG_TRACE = 0, MOBULA_LOG_DEBUG, MOBULA_LOG_INFO, MOBULA_LOG_WARN, MOBULA_LOG_ERROR, MOBULA_LOG_OFF };

/* Sets the least level of lines that are kept, for all clients of the process. Default: MOBULA_LOG_WARN. */
MOBULA_API mobula_result mobula_set_log_level(int32_t level);

/* Writes the oldest line of the log, of all clients, and removes it. NOTHING if there is none. A line that does not fit
 * stays. At most 64 KiB of lines wait; newer ones are dropped, and a line reports their number. A signal handler that
 * calls this may wait for its own thread for ever. */
MOBULA_API mobula_result mobula_next_log(int32_t* level, char* text, uint32_t capacity, uint32_t* length);

#ifdef __cplusplus
}
#endif

#endif
