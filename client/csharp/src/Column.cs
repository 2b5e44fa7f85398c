using System;
using System.Runtime.InteropServices;

namespace Mobula {

/// <summary>A component of all entities of a client, as structs. With each new mirror its layout in the server's schema
/// is compared with the struct's; a difference is a MobulaException.</summary>
public sealed unsafe class Column<T> where T : struct, IComponent {
  private readonly MobulaClient client;
  private readonly byte[] typeName, instance;  // UTF-8
  private uint number = MobulaClient.NoComponent;
  private uint mirror;  // in which `number` is valid

  internal Column(MobulaClient client, string instance) {
    ComponentAttribute schema = ComponentType<T>.Schema;
    if (schema == null) {
      throw new MobulaException(Result.InvalidArgument,
                                typeof(T) + " is no generated component: it has no [Component]");
    }
    if (schema.Size != Blittable.SizeOf<T>()) {
      throw new MobulaException(Result.BadSchema,
                                typeof(T) + " has " + Blittable.SizeOf<T>() + " bytes instead of " + schema.Size);
    }
    this.client = client;
    typeName = Utf8.Bytes(schema.Name);
    this.instance = Utf8.Bytes(instance);
  }

  /// <summary>The component's number, as in Change.Component; MobulaClient.NoComponent if the mirror does not know it
  /// (yet).</summary>
  public uint Number { get { return IsKnown() ? number : MobulaClient.NoComponent; } }

  /// <summary>Returns how many entities have the component.</summary>
  public int Count { get { return Read(null, null); } }

  public bool TryRead(Entity entity, out T value) {
    value = default(T);
    if (!IsKnown()) return false;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* into = &MemoryMarshal.GetReference(bytes)) {
      return MobulaClient.Found(NativeMethods.mobula_client_read(client.Handle, entity.Bits, number, into,
                                                                 (uint)bytes.Length));
    }
  }

  /// <summary>Reads a component as it was at a moment, between two states.</summary>
  public bool TrySample(Entity entity, double viewTick, out T value) {
    value = default(T);
    if (!IsKnown()) return false;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* into = &MemoryMarshal.GetReference(bytes)) {
      return MobulaClient.Found(
          NativeMethods.mobula_client_sample(client.Handle, entity.Bits, number, viewTick, into, (uint)bytes.Length));
    }
  }

  /// <summary>Copies all entities that have the component, and their values, in the same order. Returns how many there
  /// are, of which as many as fit into both spans are written. Either span may be empty.</summary>
  public int Read(Span<Entity> entities, Span<T> values) {
    if (!IsKnown()) return 0;
    uint count = 0;
    int result;
    fixed (byte* handles = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(entities)))
    fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values))) {
      result = NativeMethods.mobula_client_read_column(client.Handle, number, (ulong*)handles, into, 0,
                                                       Capacity(entities.Length, values.Length), &count);
    }
    return MobulaClient.Count(result, count);
  }

  /// <summary>As above. Arrays that are too short are replaced by longer ones.</summary>
  public int Read(ref Entity[] entities, ref T[] values) {
    int count = Read(entities, values);
    if (!Grow(count, ref entities, ref values)) return count;
    return Read(entities, values);
  }

  /// <summary>As Read, with values of a moment. Omits entities that did not have the component then.</summary>
  public int Sample(double viewTick, Span<Entity> entities, Span<T> values) {
    if (!IsKnown()) return 0;
    uint count = 0;
    int result;
    fixed (byte* handles = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(entities)))
    fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values))) {
      result = NativeMethods.mobula_client_sample_column(client.Handle, number, viewTick, (ulong*)handles, into, 0,
                                                         Capacity(entities.Length, values.Length), &count);
    }
    return MobulaClient.Count(result, count);
  }

  public int Sample(double viewTick, ref Entity[] entities, ref T[] values) {
    int count = Sample(viewTick, entities, values);
    if (!Grow(count, ref entities, ref values)) return count;
    return Sample(viewTick, entities, values);
  }

  /// <summary>Returns values where they lie, without a copy: those from position `first` of the column on, as far as
  /// they lie one behind the other. False at the column's end. Valid until the client's next Receive, Update or
  /// Poll.</summary>
  public bool TryMap(int first, out ReadOnlySpan<T> values) {
    values = default(ReadOnlySpan<T>);
    if (!IsKnown()) return false;
    void* at = null;
    uint count = 0;
    int result = NativeMethods.mobula_client_map_column(client.Handle, number, (uint)first, &at, &count);
    if (!MobulaClient.Found(result)) return false;
    values = new ReadOnlySpan<T>(at, (int)count);
    return true;
  }

  // As many as fit into both arrays; an empty one is not wanted.
  private static uint Capacity(int entities, int values) {
    if (entities == 0 || values == 0) return (uint)Math.Max(entities, values);
    return (uint)Math.Min(entities, values);
  }

  private static bool Grow(int count, ref Entity[] entities, ref T[] values) {
    if (MobulaClient.Length(entities) >= count && MobulaClient.Length(values) >= count) return false;
    int length = MobulaClient.Grown(count);
    if (MobulaClient.Length(entities) < length) entities = new Entity[length];
    if (MobulaClient.Length(values) < length) values = new T[length];
    return true;
  }

  // Finds the component in a new mirror, and compares its layout once.
  private bool IsKnown() {
    uint current = client.Status.Mirror;
    if (current == mirror && number != MobulaClient.NoComponent) return true;
    number = MobulaClient.NoComponent;
    mirror = current;
    if (current == 0) return false;
    uint found;
    if (!client.TryFind(typeName, instance, out found)) return false;
    SchemaType type = client.TypeOf(found);
    if (type.Layout != ComponentType<T>.Schema.Layout || type.Size != ComponentType<T>.Schema.Size) {
      throw new MobulaException(Result.BadSchema, typeof(T) + " is another component than the server's " + type.Name +
                                ". Generate it again.\n  server: " + type.Layout + "\n  struct: " +
                                ComponentType<T>.Schema.Layout);
    }
    number = found;
    return true;
  }
}

}
