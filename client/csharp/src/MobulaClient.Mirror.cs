using System;
using System.Runtime.InteropServices;

namespace Mobula {

public sealed unsafe partial class MobulaClient {
  private Change[] changes = new Change[256];
  private int changesCount;
  private bool changesKnown;
  private Event[] events = new Event[16];
  private int eventsCount;
  private bool eventsKnown;

  /// <summary>Changes of the last step, in order. Each Changed names an entity and component once. Valid until the
  /// next step.</summary>
  public ReadOnlySpan<Change> Changes {
    get {
      if (!changesKnown) changesCount = ReadChanges(ref changes);
      changesKnown = true;
      return new ReadOnlySpan<Change>(changes, 0, changesCount);
    }
  }

  /// <summary>Events of ticks that the mirror has reached with the last step, by tick. Valid until the next
  /// Receive, Update or Poll.</summary>
  public ReadOnlySpan<Event> Events {
    get {
      if (!eventsKnown) eventsCount = ReadEvents(ref events);
      eventsKnown = true;
      return new ReadOnlySpan<Event>(events, 0, eventsCount);
    }
  }

  /// <summary>Writes the handles of all entities in the mirror, by index. Returns how many there are, of which as many
  /// as fit are written.</summary>
  public int ReadEntities(Span<Entity> entities) {
    uint count = 0;
    int result;
    fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(entities))) {
      result = NativeMethods.mobula_client_read_entities(handle, (ulong*)into, (uint)entities.Length, &count);
    }
    return Count(result, count);
  }

  /// <summary>As above. An array that is too short is replaced by a longer one.</summary>
  public int ReadEntities(ref Entity[] entities) {
    int count = ReadEntities(entities);
    if (count <= Length(entities)) return count;
    entities = new Entity[Grown(count)];
    return ReadEntities(entities);
  }

  /// <summary>Returns what is known of an entity, or false if the mirror does not have it.</summary>
  public bool TryGetEntity(Entity entity, out EntityInfo info) {
    EntityInfo read = default(EntityInfo);
    read.StructSize = (uint)sizeof(EntityInfo);
    bool found = Found(NativeMethods.mobula_client_entity(handle, entity.Bits, &read));
    info = read;
    return found;
  }

  /// <summary>Writes the numbers of the components that an entity has. Returns how many there are; 0 if the mirror does
  /// not have the entity.</summary>
  public int ComponentsOf(Entity entity, Span<uint> components) {
    uint count = 0;
    int result;
    fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(components))) {
      result = NativeMethods.mobula_client_components_of(handle, entity.Bits, (uint*)into, (uint)components.Length,
                                                         &count);
    }
    return result == (int)Result.NoEntity ? 0 : Count(result, count);
  }

  /// <summary>Reads one value by its path COMPONENT/FIELD, such as "Transform/position.x". Returns false if the entity
  /// or the component is not there.</summary>
  public bool TryReadValue(Entity entity, string path, out Value value) {
    Value read = default(Value);
    int capacity = Utf8.Size(path);
    if (capacity > Utf8.StackBytes) {
      throw new MobulaException(Result.InvalidArgument, "a path of " + capacity + " bytes");
    }
    byte* text = stackalloc byte[Utf8.StackBytes];
    Utf8.Write(path, text, capacity);
    bool found = Found(NativeMethods.mobula_client_read_value(handle, entity.Bits, text, &read));
    value = read;
    return found;
  }

  /// <summary>Returns a component, struct, array or value as JSON, or null if the entity or the component is not
  /// there.</summary>
  public string ReadJson(Entity entity, string path) {
    byte[] json = new byte[512];
    fixed (byte* name = Utf8.Bytes(path)) {
      while (true) {
        uint length = 0;
        int result;
        fixed (byte* into = json) {
          result = NativeMethods.mobula_client_read_json(handle, entity.Bits, name, into, (uint)json.Length, &length);
          if (result != (int)Result.BufferTooSmall) return Found(result) ? Utf8.Read(into) : null;
        }
        json = new byte[length + 1];
      }
    }
  }

  /// <summary>Returns estimates of the moment `now`. The mirror keeps the states that are needed to show
  /// ViewTick.</summary>
  public Clock ReadClock(long now) {
    Clock clock = default(Clock);
    clock.StructSize = (uint)sizeof(Clock);
    int result = NativeMethods.mobula_client_clock(handle, now, &clock);
    if (result != (int)Result.NoMirror) Check(result);
    return clock;
  }

  /// <summary>Writes an entity's place in the world at a moment. Returns false if it had none then.</summary>
  public bool TrySamplePose(Entity entity, double viewTick, out WorldPose pose) {
    WorldPose sampled = default(WorldPose);
    bool found = Found(NativeMethods.mobula_client_sample_pose(handle, entity.Bits, viewTick, &sampled));
    pose = sampled;
    return found;
  }

  private int ReadChanges(ref Change[] into) {
    while (true) {
      uint count = 0;
      int result;
      fixed (Change* first = into) {
        result = NativeMethods.mobula_client_read_changes(handle, first, (uint)into.Length, &count);
      }
      if (result != (int)Result.BufferTooSmall) return Count(result, count);
      into = new Change[Grown(Math.Max((int)count, 2 * (int)status.Entities))];  // as if all entities moved at once
    }
  }

  private int ReadEvents(ref Event[] into) {
    while (true) {
      uint count = 0;
      int result;
      fixed (Event* first = into) {
        result = NativeMethods.mobula_client_read_events(handle, first, (uint)into.Length, &count);
      }
      if (result != (int)Result.BufferTooSmall) return Count(result, count);
      into = new Event[Grown((int)count)];
    }
  }

  internal static int Length(Array array) { return array == null ? 0 : array.Length; }

  // Leaves room, so that a world that grows does not need a new array with each step.
  internal static int Grown(int count) { return count + count / 2 + 16; }
}

}
