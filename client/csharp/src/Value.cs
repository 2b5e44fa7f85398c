using System.Runtime.InteropServices;
using System.Text;

namespace Mobula {

public enum ValueKind : uint {
  Bool = 0,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  Float64,
  Quaternion,
  Entity,
  Text,
  Name
}

/// <summary>A value that was read by its path. Read the property of its kind.</summary>
[StructLayout(LayoutKind.Explicit, Size = 24)]
public unsafe struct Value {  // mobula_value
  [FieldOffset(0)] public ValueKind Kind;
  [FieldOffset(4)] private uint size;
  [FieldOffset(8)] private long integer;
  [FieldOffset(8)] private ulong unsignedInteger;
  [FieldOffset(8)] private double real;
  [FieldOffset(8)] private fixed float rotation[4];
  [FieldOffset(8)] private ulong entity;
  [FieldOffset(8)] private uint name;
  [FieldOffset(8)] private byte* text;

  /// <summary>Value of Bool, all integers and enums; the bits of a UInt64.</summary>
  public long AsLong { get { return integer; } }
  public ulong AsULong { get { return unsignedInteger; } }
  public bool AsBool { get { return integer != 0; } }
  /// <summary>Value of Float32 and Float64.</summary>
  public double AsDouble { get { return real; } }
  public Entity AsEntity { get { return new Entity(entity); } }
  public StringId AsName { get { return new StringId(name); } }
  /// <summary>Text, which must be read before the client's next Receive, Update or Poll. Makes a string.</summary>
  public string AsText { get { return size == 0 ? "" : Encoding.UTF8.GetString(text, (int)size); } }

  /// <summary>Returns the parts of a Quaternion.</summary>
  public void AsQuaternion(out float x, out float y, out float z, out float w) {
    fixed (float* values = rotation) {
      x = values[0];
      y = values[1];
      z = values[2];
      w = values[3];
    }
  }
}

}
