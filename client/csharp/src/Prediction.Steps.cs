using System;
using System.Runtime.InteropServices;

namespace Mobula {

// Functions that a step may use, between TryNextStep and EndStep.
public sealed unsafe partial class Prediction {
  private Command[] commands = new Command[8];

  /// <summary>The player's commands that run in this tick, by number. Valid until the next call.</summary>
  public ReadOnlySpan<Command> Commands {
    get {
      while (true) {
        uint count = 0;
        int result;
        fixed (Command* first = commands) {
          result = NativeMethods.mobula_step_read_commands(client.Handle, first, (uint)commands.Length, &count);
        }
        if (result != (int)Result.BufferTooSmall) {
          MobulaClient.Check(result);
          return new ReadOnlySpan<Command>(commands, 0, (int)count);
        }
        commands = new Command[MobulaClient.Grown((int)count)];
      }
    }
  }

  /// <summary>Writes the stepped entities that have a component, ascending by index. An array that is too short is
  /// replaced by a longer one. Returns their number.</summary>
  public int Stepped<A>(ref Entity[] entities) where A : struct, IComponent {
    uint component = client.Column<A>().Number;
    return Find(false, &component, 1, ref entities);
  }

  /// <summary>Does the same with entities that have two components.</summary>
  public int Stepped<A, B>(ref Entity[] entities) where A : struct, IComponent where B : struct, IComponent {
    uint* components = stackalloc uint[2];
    components[0] = client.Column<A>().Number;
    components[1] = client.Column<B>().Number;
    return Find(false, components, 2, ref entities);
  }

  /// <summary>Writes all entities that have a component, stepped or not.</summary>
  public int Visible<A>(ref Entity[] entities) where A : struct, IComponent {
    uint component = client.Column<A>().Number;
    return Find(true, &component, 1, ref entities);
  }

  public int Visible<A, B>(ref Entity[] entities) where A : struct, IComponent where B : struct, IComponent {
    uint* components = stackalloc uint[2];
    components[0] = client.Column<A>().Number;
    components[1] = client.Column<B>().Number;
    return Find(true, components, 2, ref entities);
  }

  /// <summary>Reads a component of an entity, stepped or not. Returns false if the entity does not have it. Throws
  /// Result.NoAccess if the options do not permit it.</summary>
  public bool TryRead<T>(Entity entity, out T value) where T : struct, IComponent {
    value = default(T);
    uint component = client.Column<T>().Number;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* into = &MemoryMarshal.GetReference(bytes)) {
      return MobulaClient.Found(NativeMethods.mobula_step_read(client.Handle, entity.Bits, component, into,
                                                               (uint)bytes.Length));
    }
  }

  /// <summary>Replaces a component of a stepped entity.</summary>
  public void Write<T>(Entity entity, T value) where T : struct, IComponent {
    uint component = client.Column<T>().Number;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* from = &MemoryMarshal.GetReference(bytes)) {
      MobulaClient.Check(NativeMethods.mobula_step_write(client.Handle, entity.Bits, component, from,
                                                         (uint)bytes.Length));
    }
  }

  /// <summary>Reads the component of each entity, in the same order.</summary>
  public void ReadColumn<T>(ReadOnlySpan<Entity> entities, Span<T> values) where T : struct, IComponent {
    if (values.Length < entities.Length) {
      throw new MobulaException(Result.BufferTooSmall, values.Length + " values of " + entities.Length + " entities");
    }
    uint component = client.Column<T>().Number;
    fixed (byte* handles = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(entities)))
    fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values))) {
      MobulaClient.Check(NativeMethods.mobula_step_read_column(client.Handle, component, (ulong*)handles,
                                                               (uint)entities.Length, into, 0));
    }
  }

  /// <summary>Replaces the component of each of these stepped entities.</summary>
  public void WriteColumn<T>(ReadOnlySpan<Entity> entities, ReadOnlySpan<T> values) where T : struct, IComponent {
    if (values.Length < entities.Length) {
      throw new MobulaException(Result.BufferTooSmall, values.Length + " values of " + entities.Length + " entities");
    }
    uint component = client.Column<T>().Number;
    fixed (byte* handles = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(entities)))
    fixed (byte* from = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values))) {
      MobulaClient.Check(NativeMethods.mobula_step_write_column(client.Handle, component, (ulong*)handles,
                                                                (uint)entities.Length, from, 0));
    }
  }

  /// <summary>Returns random numbers that depend on the world's seed, the tick and the key alone.</summary>
  public StepRandom Random(ulong key) {
    StepRandom random = default(StepRandom);
    MobulaClient.Check(NativeMethods.mobula_step_random(client.Handle, key, &random));
    return random;
  }

  public StepRandom Random(Entity entity) {
    StepRandom random = default(StepRandom);
    MobulaClient.Check(NativeMethods.mobula_step_random_of(client.Handle, entity.Bits, &random));
    return random;
  }

  /// <summary>Spawns an entity for a command of this step, given by its number.</summary>
  public Entity Spawn<A>(uint command, A a) where A : struct, IComponent {
    uint component = client.Column<A>().Number;
    Entity entity = Spawn(command, &component, 1);
    Write(entity, a);
    return entity;
  }

  public Entity Spawn<A, B>(uint command, A a, B b) where A : struct, IComponent where B : struct, IComponent {
    uint* components = stackalloc uint[2];
    components[0] = client.Column<A>().Number;
    components[1] = client.Column<B>().Number;
    Entity entity = Spawn(command, components, 2);
    Write(entity, a);
    Write(entity, b);
    return entity;
  }

  /// <summary>Destroys a stepped entity.</summary>
  public void Destroy(Entity entity) {
    MobulaClient.Check(NativeMethods.mobula_step_destroy(client.Handle, entity.Bits));
  }

  /// <summary>Emits an effect. A name and key begin it once, however often the tick is stepped. So the key is
  /// unique for what happens once: an entity's index times 2^32, plus a command's number or the tick.</summary>
  public void Emit(string name, ulong key, ReadOnlySpan<byte> payload = default(ReadOnlySpan<byte>)) {
    int size = Utf8.Size(name);
    if (size > Utf8.StackBytes) throw new MobulaException(Result.InvalidArgument, "a name of " + size + " bytes");
    byte* text = stackalloc byte[Utf8.StackBytes];
    Utf8.Write(name, text, size);
    fixed (byte* bytes = &MemoryMarshal.GetReference(payload)) {
      MobulaClient.Check(NativeMethods.mobula_step_effect(client.Handle, text, key, bytes, (uint)payload.Length));
    }
  }

  /// <summary>Finds static data of the level that the server reads in this tick. Valid until the step ends.</summary>
  public bool TryFindStatic(ulong id, out StringId type, out ReadOnlySpan<byte> data) {
    uint kind = 0;
    void* bytes = null;
    ulong size = 0;
    int result = NativeMethods.mobula_step_find_static(client.Handle, id, &kind, &bytes, &size);
    type = new StringId(kind);
    data = new ReadOnlySpan<byte>(bytes, checked((int)size));
    return MobulaClient.Check(result) == Result.Ok;
  }

  private Entity Spawn(uint command, uint* components, uint count) {
    ulong entity = 0;
    MobulaClient.Check(NativeMethods.mobula_step_spawn(client.Handle, command, components, count, &entity));
    return new Entity(entity);
  }

  private int Find(bool visible, uint* components, uint componentCount, ref Entity[] entities) {
    while (true) {
      uint count = 0;
      int result;
      fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes<Entity>(entities))) {
        uint capacity = (uint)MobulaClient.Length(entities);
        result = visible ? NativeMethods.mobula_step_read_visible(client.Handle, components, componentCount,
                                                                  (ulong*)into, capacity, &count)
                         : NativeMethods.mobula_step_read_stepped(client.Handle, components, componentCount,
                                                                  (ulong*)into, capacity, &count);
      }
      if (result != (int)Result.BufferTooSmall) {
        MobulaClient.Check(result);
        return (int)count;
      }
      entities = new Entity[MobulaClient.Grown((int)count)];
    }
  }
}

}
