using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Mobula {

public sealed unsafe partial class MobulaClient {
  private object[] columns = new object[64];  // Column<T> of the default instances, by ComponentType<T>.Number
  private Dictionary<string, object>[] named = new Dictionary<string, object>[64];  // the others, by their names

  /// <summary>Returns the column of a component. It is made once; keep it, or ask again.</summary>
  public Column<T> Column<T>() where T : struct, IComponent {
    int number = ComponentType<T>.Number;
    if (number >= columns.Length) Array.Resize(ref columns, 2 * number);
    if (columns[number] == null) columns[number] = new Column<T>(this, null);
    return (Column<T>)columns[number];
  }

  /// <summary>Returns the column of an instance, such as RenderData named "Fog".</summary>
  public Column<T> Column<T>(string instance) where T : struct, IComponent {
    if (instance == null) return Column<T>();
    int number = ComponentType<T>.Number;
    if (number >= named.Length) Array.Resize(ref named, 2 * number);
    if (named[number] == null) named[number] = new Dictionary<string, object>();
    object column;
    if (!named[number].TryGetValue(instance, out column)) {
      column = new Column<T>(this, instance);
      named[number].Add(instance, column);
    }
    return (Column<T>)column;
  }

  /// <summary>Reads a component. Returns false if the entity is not in the mirror or does not have it.</summary>
  public bool TryRead<T>(Entity entity, out T value) where T : struct, IComponent {
    return Column<T>().TryRead(entity, out value);
  }

  public bool TryRead<T>(Entity entity, string instance, out T value) where T : struct, IComponent {
    return Column<T>(instance).TryRead(entity, out value);
  }

  /// <summary>Copies all entities that have a component, and their values, in the same order. Returns how many there
  /// are, of which as many as fit into both arrays are written. Either array may be null.</summary>
  public int ReadColumn<T>(Entity[] entities, T[] values) where T : struct, IComponent {
    return Column<T>().Read(entities, values);
  }

  /// <summary>As above. Arrays that are too short are replaced by longer ones.</summary>
  public int ReadColumn<T>(ref Entity[] entities, ref T[] values) where T : struct, IComponent {
    return Column<T>().Read(ref entities, ref values);
  }

  /// <summary>Reads a component as it was at a moment, between two states.</summary>
  public bool TrySample<T>(Entity entity, double viewTick, out T value) where T : struct, IComponent {
    return Column<T>().TrySample(entity, viewTick, out value);
  }

  /// <summary>As ReadColumn, with values of a moment.</summary>
  public int SampleColumn<T>(double viewTick, ref Entity[] entities, ref T[] values) where T : struct, IComponent {
    return Column<T>().Sample(viewTick, ref entities, ref values);
  }

  /// <summary>Finds a component by name, for programs without generated structs. The number is valid as long as
  /// Status.Mirror is the same.</summary>
  public bool TryFindComponent(string type, string instance, out uint component) {
    return TryFind(Utf8.Bytes(type), Utf8.Bytes(instance), out component);
  }

  internal bool TryFind(byte[] type, byte[] instance, out uint component) {
    uint found = NoComponent;
    int result;
    fixed (byte* typeName = type, instanceName = instance) {
      result = NativeMethods.mobula_client_find_component(handle, typeName, instanceName, &found);
    }
    component = found;
    return Found(result);
  }

  /// <summary>Copies a component's bytes, by its number. Returns false if the entity does not have it.</summary>
  public bool TryReadBytes(Entity entity, uint component, Span<byte> value) {
    fixed (byte* bytes = &MemoryMarshal.GetReference(value)) {
      return Found(NativeMethods.mobula_client_read(handle, entity.Bits, component, bytes, (uint)value.Length));
    }
  }
}

}
