// Generated from kitchen.fbs: do not edit.
// Blittable structs, byte for byte what the schema declares. Padding is explicit and zero.
#pragma warning disable 0169, 0414, 0649  // only the library writes padding and arrays

namespace Kitchen {

  public enum Only : byte {
    Zero = 0,
  }

  public enum Small : sbyte {
    Minus = -5,
    Zero = 0,
    Plus = 7,
    Most = 127,
  }

  public enum Wide : ulong {
    Huge = 18446744073709551615,
    Zero = 0,
    One = 1,
  }

  [global::Mobula.Component("Flags", 20,
      "seen:int32@0 own:int32@4 secret:int32@8 guessed:int32@12 fresh:int32@16")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 20)]
  public struct Flags : global::Mobula.IComponent, global::System.IEquatable<Flags> {
    public int Seen;
    public int Own;
    public int Secret;
    public int Guessed;
    public int Fresh;

    /// <summary>The value in a new component.</summary>
    public static readonly Flags Default = global::Mobula.Blittable.FromHex<Flags>(
        "0100000002000000030000000400000005000000");

    public bool Equals(Flags other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Flags && Equals((Flags)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Hidden", 4,
      "value:int32@0")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 4)]
  public struct Hidden : global::Mobula.IComponent, global::System.IEquatable<Hidden> {
    public int Value;

    public bool Equals(Hidden other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Hidden && Equals((Hidden)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 8)]
  public struct Inner : global::System.IEquatable<Inner> {
    public ushort Weight;
    private byte rawFlag;
    public bool Flag {
      get { return rawFlag != 0; }
      set { rawFlag = value ? (byte)1 : (byte)0; }
    }
    private byte padding0;
    public float Angle;

    /// <summary>The value in a new component.</summary>
    public static readonly Inner Default = global::Mobula.Blittable.FromHex<Inner>(
        "0700000000000000");

    public bool Equals(Inner other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Inner && Equals((Inner)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Nested", 48,
      "one.weight:uint16@0 one.flag:bool@2 one.angle:float32@4 as_is.weight:uint16@8 as_is.flag:bool@10 " +
      "as_is.angle:float32@12 several.weight:uint16@16x3/8 several.flag:bool@18x3/8 " +
      "several.angle:float32@20x3/8 texts_count:uint8@40 several_count:uint16@42 colors:int8@44x4/1")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 48)]
  public struct Nested : global::Mobula.IComponent, global::System.IEquatable<Nested> {
    public global::Kitchen.Inner One;
    public global::Kitchen.Inner AsIs;
    public SeveralArray Several;
    public byte TextsCount;
    private byte padding0;
    public ushort SeveralCount;
    public ColorsArray Colors;

    [global::System.Runtime.InteropServices.StructLayout(
        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 24)]
    public struct SeveralArray {
      private global::Kitchen.Inner first;
      public int Length { get { return 3; } }
      public global::Kitchen.Inner this[int at] {
        get { return global::Mobula.Blittable.Get(ref first, 3, at); }
        set { global::Mobula.Blittable.Set(ref first, 3, at, value); }
      }
    }

    [global::System.Runtime.InteropServices.StructLayout(
        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 4)]
    public struct ColorsArray {
      private global::Kitchen.Small first;
      public int Length { get { return 4; } }
      public global::Kitchen.Small this[int at] {
        get { return global::Mobula.Blittable.Get(ref first, 4, at); }
        set { global::Mobula.Blittable.Set(ref first, 4, at, value); }
      }
    }

    /// <summary>The value in a new component.</summary>
    public static readonly Nested Default = global::Mobula.Blittable.FromHex<Nested>(
        "000001000000003f07000000000000000700000000000000070000000000000007000000000000000000000000000000");

    public bool Equals(Nested other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Nested && Equals((Nested)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Plain", 112,
      "a_bool:bool@0 an_int8:int8@1 a_uint8:uint8@2 an_int16:int16@4 a_uint16:uint16@6 an_int32:int32@8 " +
      "a_uint32:uint32@12 an_int64:int64@16 a_uint64:uint64@24 a_float:float32@32 a_double:float64@40 " +
      "a_quaternion:quaternion@48 an_entity:entity@64 a_text:text[10]@72 a_name:name@84 " +
      "shorts:int16@88x3/2 entities:entity@96x2/8")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 112)]
  public struct Plain : global::Mobula.IComponent, global::System.IEquatable<Plain> {
    private byte rawABool;
    public bool ABool {
      get { return rawABool != 0; }
      set { rawABool = value ? (byte)1 : (byte)0; }
    }
    public sbyte AnInt8;
    public byte AUint8;
    private byte padding0;
    public short AnInt16;
    public ushort AUint16;
    public int AnInt32;
    public uint AUint32;
    public long AnInt64;
    public ulong AUint64;
    public float AFloat;
    private byte padding1;
    private byte padding2;
    private byte padding3;
    private byte padding4;
    public double ADouble;
    public global::Mobula.Engine.Quat AQuaternion;
    public global::Mobula.Entity AnEntity;
    /// <summary>Text of at most 10 bytes of UTF-8; longer text is cut. Reading it makes a string.</summary>
    public string AText {
      get { return ATextUtf8.ToString(); }
      set { ATextUtf8.Set(value); }
    }
    public ATextUtf8Array ATextUtf8;
    private byte padding5;
    private byte padding6;
    public global::Mobula.StringId AName;
    public ShortsArray Shorts;
    private byte padding7;
    private byte padding8;
    public EntitiesArray Entities;

    [global::System.Runtime.InteropServices.StructLayout(
        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 10)]
    public struct ATextUtf8Array {
      private byte first;
      public int Length { get { return 10; } }
      public byte this[int at] {
        get { return global::Mobula.Blittable.Get(ref first, 10, at); }
        set { global::Mobula.Blittable.Set(ref first, 10, at, value); }
      }
      public override string ToString() { return global::Mobula.FixedText.Get(ref first, 10); }
      public void Set(string text) { global::Mobula.FixedText.Set(ref first, 10, text); }
    }

    [global::System.Runtime.InteropServices.StructLayout(
        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 6)]
    public struct ShortsArray {
      private short first;
      public int Length { get { return 3; } }
      public short this[int at] {
        get { return global::Mobula.Blittable.Get(ref first, 3, at); }
        set { global::Mobula.Blittable.Set(ref first, 3, at, value); }
      }
    }

    [global::System.Runtime.InteropServices.StructLayout(
        global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 16)]
    public struct EntitiesArray {
      private global::Mobula.Entity first;
      public int Length { get { return 2; } }
      public global::Mobula.Entity this[int at] {
        get { return global::Mobula.Blittable.Get(ref first, 2, at); }
        set { global::Mobula.Blittable.Set(ref first, 2, at, value); }
      }
    }

    /// <summary>The value in a new component.</summary>
    public static readonly Plain Default = global::Mobula.Blittable.FromHex<Plain>(
        "0080ff000080ffff00000080ffffffff0000000000000080ffffffffffffffff95bfd633000000009a9999999999b9bf0000" +
        "00000000803f0000000000000000000000000000000074776f20776f726473000000409a5e17000000000000000000000000" +
        "000000000000000000000000");

    public bool Equals(Plain other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Plain && Equals((Plain)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Ranged", 128,
      "an_int8:int8@0 a_uint8:uint8@1 an_int16:int16@2 a_uint16:uint16@4 an_int32:int32@8 " +
      "a_uint32:uint32@12 an_int64:int64@16 a_uint64:uint64@24 fine:float32@32 odd:float32@36 " +
      "by_bits:float32@40 a_double:float64@48 small:int8@56 wide:uint64@64 only:uint8@72 " +
      "coarse:quaternion@76 rotation:quaternion@92 exact:quaternion@108")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 128)]
  public struct Ranged : global::Mobula.IComponent, global::System.IEquatable<Ranged> {
    public sbyte AnInt8;
    public byte AUint8;
    public short AnInt16;
    public ushort AUint16;
    private byte padding0;
    private byte padding1;
    public int AnInt32;
    public uint AUint32;
    public long AnInt64;
    public ulong AUint64;
    public float Fine;
    public float Odd;
    public float ByBits;
    private byte padding2;
    private byte padding3;
    private byte padding4;
    private byte padding5;
    public double ADouble;
    public global::Kitchen.Small Small;
    private byte padding6;
    private byte padding7;
    private byte padding8;
    private byte padding9;
    private byte padding10;
    private byte padding11;
    private byte padding12;
    public global::Kitchen.Wide Wide;
    public global::Kitchen.Only Only;
    private byte padding13;
    private byte padding14;
    private byte padding15;
    public global::Mobula.Engine.Quat Coarse;
    public global::Mobula.Engine.Quat Rotation;
    public global::Mobula.Engine.Quat Exact;
    private byte padding16;
    private byte padding17;
    private byte padding18;
    private byte padding19;

    /// <summary>The value in a new component.</summary>
    public static readonly Ranged Default = global::Mobula.Blittable.FromHex<Ranged>(
        "ce000000e8030000000000000b0000000000000000000000000000000000000000000000cdcccc3d00000000000000000000" +
        "0000000000000700000000000000ffffffffffffffff000000000000000000000000000000000000803f0000000000000000" +
        "000000000000803f0000000000000000000000000000803f00000000");

    public bool Equals(Ranged other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Ranged && Equals((Ranged)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

}
