// Functions of client/c/mobula_client.h, one by one. Only blittable arguments: a call makes no garbage.
using System.Runtime.InteropServices;

namespace Mobula {

internal struct NativeClient {  // mobula_client
  internal uint Index;
  internal uint Generation;
}

internal static unsafe class NativeMethods {
#if UNITY_IOS && !UNITY_EDITOR
  private const string Library = "__Internal";  // linked into the program
#else
  private const string Library = "mobula-client";
#endif
  private const CallingConvention Call = CallingConvention.Cdecl;

  [DllImport(Library, CallingConvention = Call)]
  internal static extern byte* mobula_strerror(int result);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_error_text(byte* text, uint capacity, uint* length);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern uint mobula_version();
  [DllImport(Library, CallingConvention = Call)]
  internal static extern uint mobula_protocol_version();
  [DllImport(Library, CallingConvention = Call)]
  internal static extern long mobula_now();

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_create(NativeOptions* options, long now, NativeClient* client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_destroy(NativeClient client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_leave(NativeClient client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_status(NativeClient client, Status* status);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_reason(NativeClient client, int* code, byte* text, uint capacity,
                                                  uint* length);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_connect_udp(NativeClient client, byte* address);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_poll(NativeClient client, uint timeout_ms);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_server_address(NativeClient client, uint at, byte* text, uint capacity,
                                                          uint* length);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_receive(NativeClient client, void* datagram, uint size, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_update(NativeClient client, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_next_datagram(NativeClient client, void* buffer, uint capacity, uint* size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_next_wakeup(NativeClient client, long now, long* at);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_pipe_closed(NativeClient client, byte* why, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_rejoin(NativeClient client, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_reconnect(NativeClient client, void* token, ulong token_size, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_statistics(NativeClient client, Statistics* statistics);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_changes(NativeClient client, Change* changes, uint capacity,
                                                        uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_entities(NativeClient client, ulong* entities, uint capacity,
                                                         uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_entity(NativeClient client, ulong entity, EntityInfo* info);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_components_of(NativeClient client, ulong entity, uint* components,
                                                         uint capacity, uint* count);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_find_component(NativeClient client, byte* type, byte* instance,
                                                          uint* component);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_component_count(NativeClient client, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_component(NativeClient client, uint component, NativeComponentInfo* info);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read(NativeClient client, ulong entity, uint component, void* value,
                                                uint capacity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_column(NativeClient client, uint component, ulong* entities,
                                                       void* values, uint stride, uint capacity, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_map_column(NativeClient client, uint component, uint first, void** values,
                                                      uint* count);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_value(NativeClient client, ulong entity, byte* path, Value* value);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_json(NativeClient client, ulong entity, byte* path, byte* json,
                                                     uint capacity, uint* length);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_clock(NativeClient client, long now, Clock* clock);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_sample(NativeClient client, ulong entity, uint component, double view_tick,
                                                  void* value, uint capacity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_sample_column(NativeClient client, uint component, double view_tick,
                                                         ulong* entities, void* values, uint stride, uint capacity,
                                                         uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_sample_pose(NativeClient client, ulong entity, double view_tick,
                                                       WorldPose* pose);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_type_count(NativeClient client, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_type(NativeClient client, uint type, NativeTypeInfo* info);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_field(NativeClient client, uint type, uint field, NativeFieldInfo* info);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_enum_value(NativeClient client, uint type, uint field, uint at, byte** name,
                                                      long* value);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_schema(NativeClient client, void** bytes, ulong* size);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_set_command(NativeClient client, void* command, uint size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_set_command_schema(NativeClient client, void* bfbs, ulong size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_set_command_json(NativeClient client, byte* json);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_read_events(NativeClient client, Event* events, uint capacity, uint* count);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_create(NativeClient client, NativePredictionOptions* options);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_destroy(NativeClient client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_begin_update(NativeClient client, long now);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_next_step(NativeClient client, Step* step);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_end_step(NativeClient client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_abandon_update(NativeClient client);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_set_predicted(NativeClient client, ulong entity, uint predicted);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_entity(NativeClient client, ulong entity, uint* state);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_status(NativeClient client, PredictionInfo* info);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_statistics(NativeClient client, PredictionCounters* counters);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_misprediction(NativeClient client, byte* text, uint capacity,
                                                             uint* length);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_sample(NativeClient client, ulong entity, uint component, void* value,
                                                      uint capacity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_sample_column(NativeClient client, uint component, ulong* entities,
                                                             void* values, uint stride, uint capacity, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_read(NativeClient client, ulong entity, uint component, void* value,
                                                    uint capacity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_read_effects(NativeClient client, Effect* effects, uint capacity,
                                                            uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_prediction_read_spawns(NativeClient client, Spawn* spawns, uint capacity,
                                                           uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_read_commands(NativeClient client, Command* commands, uint capacity,
                                                       uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_read_stepped(NativeClient client, uint* components, uint component_count,
                                                      ulong* entities, uint capacity, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_read_visible(NativeClient client, uint* components, uint component_count,
                                                      ulong* entities, uint capacity, uint* count);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_read(NativeClient client, ulong entity, uint component, void* value,
                                              uint capacity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_write(NativeClient client, ulong entity, uint component, void* value,
                                               uint size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_read_column(NativeClient client, uint component, ulong* entities, uint count,
                                                     void* values, uint stride);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_write_column(NativeClient client, uint component, ulong* entities, uint count,
                                                      void* values, uint stride);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_find_static(NativeClient client, ulong id, uint* type, void** bytes,
                                                     ulong* size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_random(NativeClient client, ulong key, StepRandom* random);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_random_of(NativeClient client, ulong entity, StepRandom* random);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern ulong mobula_random_next(StepRandom* random);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern uint mobula_random_below(StepRandom* random, uint bound);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern float mobula_random_uniform(StepRandom* random, float low, float high);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_spawn(NativeClient client, uint command, uint* components,
                                               uint component_count, ulong* entity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_destroy(NativeClient client, ulong entity);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_step_effect(NativeClient client, byte* name, ulong key, void* payload, uint size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern uint mobula_name_hash(byte* name);

  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_add_level(NativeClient client, void* bytes, ulong size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_client_next_level(NativeClient client, byte* hash, void** bytes, ulong* size);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_set_log_level(int level);
  [DllImport(Library, CallingConvention = Call)]
  internal static extern int mobula_next_log(int* level, byte* text, uint capacity, uint* length);
}

}
