using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Mobula {

[Flags]
public enum FieldFlags : uint {
  None = 0,
  /// <summary>Low, High and Step hold.</summary>
  Ranged = 1 << 0,
  /// <summary>Sent to the owner alone; others see the default.</summary>
  OwnerOnly = 1 << 1,
  Predicted = 1 << 2,
  /// <summary>Has dead reckoning, within Tolerance.</summary>
  Reckoned = 1 << 3,
  /// <summary>Keeps its default.</summary>
  NotSent = 1 << 4,
  /// <summary>Clients blend nothing across a change of it.</summary>
  Cut = 1 << 5
}

/// <summary>A leaf of a component type.</summary>
public sealed class SchemaField {
  public string Path { get; internal set; }
  public ValueKind Kind { get; internal set; }
  /// <summary>Bytes from the component's start; of element 0 of an array.</summary>
  public int Offset { get; internal set; }
  /// <summary>Bytes of one value.</summary>
  public int Size { get; internal set; }
  /// <summary>Number of elements; more than 1 for an array.</summary>
  public int Count { get; internal set; }
  /// <summary>Bytes between elements.</summary>
  public int Stride { get; internal set; }
  public FieldFlags Flags { get; internal set; }
  public double Low { get; internal set; }
  public double High { get; internal set; }
  /// <summary>0 if values are sent as they are.</summary>
  public double Step { get; internal set; }
  public double Tolerance { get; internal set; }
  /// <summary>Names of an enum by value; empty if it is none.</summary>
  public IReadOnlyDictionary<long, string> EnumValues { get; internal set; }
}

/// <summary>A component type of the server's schema.</summary>
public sealed class SchemaType {
  private static readonly string[] kindNames = {
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
    "quaternion", "entity", "text", "name"
  };

  public string Name { get; internal set; }
  /// <summary>Bytes of a value.</summary>
  public int Size { get; internal set; }
  public int Alignment { get; internal set; }
  /// <summary>The bytes of a new component.</summary>
  public byte[] DefaultValue { get; internal set; }
  /// <summary>Leaves, by offset.</summary>
  public IReadOnlyList<SchemaField> Fields { get; internal set; }

  /// <summary>Leaves as text, as mobula-schema-gen writes them: path:kind@offset, and xCOUNT/STRIDE for an
  /// array.</summary>
  public string Layout {
    get {
      StringBuilder text = new StringBuilder();
      foreach (SchemaField field in Fields) {
        if (text.Length > 0) text.Append(' ');
        text.Append(field.Path).Append(':').Append(KindName(field.Kind));
        if (field.Kind == ValueKind.Text) text.Append('[').Append(field.Size).Append(']');
        text.Append('@').Append(field.Offset);
        if (field.Count > 1) text.Append('x').Append(field.Count).Append('/').Append(field.Stride);
      }
      return text.ToString();
    }
  }

  // A kind of a newer library is its number, which no struct has.
  private static string KindName(ValueKind kind) {
    return (uint)kind < kindNames.Length ? kindNames[(int)kind] : ((uint)kind).ToString(CultureInfo.InvariantCulture);
  }
}

public sealed unsafe partial class MobulaClient {
  /// <summary>Returns the component types of the server's schema, by name; none without a mirror.</summary>
  public IReadOnlyList<SchemaType> ReadSchema() {
    List<SchemaType> types = new List<SchemaType>();
    uint count = 0;
    int result = NativeMethods.mobula_client_type_count(handle, &count);
    if (result == (int)Result.NoMirror) return types;
    Check(result);
    for (uint type = 0; type < count; ++type) types.Add(ReadType(type));
    return types;
  }

  /// <summary>Returns the server's schema in FlatBuffers' binary form, or null without a mirror.</summary>
  public byte[] ReadSchemaBytes() {
    void* bytes = null;
    ulong size = 0;
    int result = NativeMethods.mobula_client_schema(handle, &bytes, &size);
    if (result == (int)Result.NoMirror) return null;
    Check(result);
    byte[] copy = new ReadOnlySpan<byte>(bytes, (int)size).ToArray();
    GC.KeepAlive(this);  // the bytes belong to the client
    return copy;
  }

  /// <summary>Returns the type of a component, by its number.</summary>
  public SchemaType TypeOf(uint component) {
    NativeComponentInfo info = default(NativeComponentInfo);
    info.StructSize = (uint)sizeof(NativeComponentInfo);
    Check(NativeMethods.mobula_client_component(handle, component, &info));
    return ReadType(info.Type);
  }

  /// <summary>Returns the number of components, whose numbers are below it; 0 without a mirror.</summary>
  public int ComponentCount {
    get {
      uint count = 0;
      return Count(NativeMethods.mobula_client_component_count(handle, &count), count);
    }
  }

  private SchemaType ReadType(uint type) {
    NativeTypeInfo info = default(NativeTypeInfo);
    info.StructSize = (uint)sizeof(NativeTypeInfo);
    Check(NativeMethods.mobula_client_type(handle, type, &info));
    List<SchemaField> fields = new List<SchemaField>();
    for (uint field = 0; field < info.Fields; ++field) fields.Add(ReadField(type, field));
    SchemaType read = new SchemaType {
      Name = Utf8.Read(info.Name),
      Size = (int)info.Size,
      Alignment = (int)info.Alignment,
      DefaultValue = new ReadOnlySpan<byte>(info.DefaultValue, (int)info.Size).ToArray(),
      Fields = fields
    };
    GC.KeepAlive(this);  // texts and bytes belong to the client
    return read;
  }

  private SchemaField ReadField(uint type, uint field) {
    NativeFieldInfo info = default(NativeFieldInfo);
    info.StructSize = (uint)sizeof(NativeFieldInfo);
    Check(NativeMethods.mobula_client_field(handle, type, field, &info));
    Dictionary<long, string> names = new Dictionary<long, string>();
    for (uint at = 0; at < info.EnumValues; ++at) {
      byte* name = null;
      long value = 0;
      Check(NativeMethods.mobula_client_enum_value(handle, type, field, at, &name, &value));
      names[value] = Utf8.Read(name);
    }
    SchemaField read = new SchemaField {
      Path = Utf8.Read(info.Path),
      Kind = (ValueKind)info.Kind,
      Offset = (int)info.Offset,
      Size = (int)info.Size,
      Count = (int)info.Count,
      Stride = (int)info.Stride,
      Flags = (FieldFlags)info.Flags,
      Low = info.Low,
      High = info.High,
      Step = info.Step,
      Tolerance = info.Tolerance,
      EnumValues = names
    };
    GC.KeepAlive(this);  // texts belong to the client
    return read;
  }
}

}
