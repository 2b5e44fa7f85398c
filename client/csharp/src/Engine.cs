// Generated from engine.fbs: do not edit.
// Blittable structs, byte for byte what the schema declares. Padding is explicit and zero.
#pragma warning disable 0169, 0414, 0649  // only the library writes padding and arrays

namespace Mobula.Engine {

  public static class EngineSchema {
    /// <summary>BLAKE2b-256 of the schema's binary form.</summary>
    public const string Fingerprint =
        "a8c27dcbe2a20ccf765ba5c5cff4c03105bb5a2d28abf9baa036e2830ea649bb";

    /// <summary>The schema in FlatBuffers' binary form, for ClientOptions.Schema.</summary>
    public static readonly byte[] Bytes = global::System.Convert.FromBase64String(
        "HAAAAEJGQlMUABwABAAIAAwAEAAAABQAAAAYABQAAAAwAAAAKAAAABwAAAAQAAAACAAAADwAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
        "AAAAAAAHAAAAdAIAAIgGAABQAwAAFAcAACQAAAAcBAAA8AcAAAEAAAAEAAAAcPf///wHAAAEAAAAAAAAABj8//8AAAABgAAAAGgA" +
        "AAAEAAAAEAAAAAgAAADUBwAAAgAAACwAAAAEAAAArPf//xAAAAAEAAAAAQAAADAAAAAJAAAAbm90X3NhdmVkAAAA0Pf//xAAAAAE" +
        "AAAAAQAAADAAAAAJAAAAY29tcG9uZW50AAAABAAAAKwAAABIAAAAFAEAAGgBAAAWAAAAbW9idWxhLmVuZ2luZS5TcGF3bktleQAA" +
        "AAAeABgADAAQAAYACAAAAAAAAAAAAAAAFAAAAAAACgAeAAAAAAADAAwAAwBIAAAANAAAAAQAAAABAAAABAAAAGT4//8QAAAABAAA" +
        "AAEAAAAwAAAACgAAAG93bmVyX29ubHkAABD+//8AAAAEAQAAAAEAAAAHAAAAb3JkaW5hbACo////AgAIAEQAAAA0AAAABAAAAAEA" +
        "AAAEAAAAwPj//xAAAAAEAAAAAQAAADAAAAAKAAAAb3duZXJfb25seQAA0Pj//wAAAAgBAAAABwAAAGNvbW1hbmQAGAAUAAgADAAE" +
        "AAYAAAAAAAAAAAAAABAAGAAAAAEABABEAAAANAAAAAQAAAABAAAABAAAADD5//8QAAAABAAAAAEAAAAwAAAACgAAAG93bmVyX29u" +
        "bHkAAED5//8AAAAIAQAAAAYAAABwbGF5ZXIAAED///9EAAAANAAAAAQAAAABAAAABAAAAIT5//8QAAAABAAAAAEAAAAwAAAACgAA" +
        "AG93bmVyX29ubHkAAJT5//8AAAAIAQAAAAQAAAB0aWNrAAAAAFj+//8AAAABTAAAAEAAAAABAAAAAQAAAAgAAACUBQAAAQAAAAQA" +
        "AADo+f//EAAAAAQAAAABAAAAMAAAAAkAAABjb21wb25lbnQAAAABAAAANAAAABIAAABtb2J1bGEuZW5naW5lLkN1dHMAABgAEAAE" +
        "AAgAAAAAAAAAAAAAAAAAAAAMABgAAABQAAAAPAAAAAQAAAABAAAABAAAAFz6//8QAAAABAAAAAEAAAAwAAAAAwAAAGN1dAAQABAA" +
        "BwAAAAAAAAAIAAwAEAAAAAAAAAQBAAAAAQAAAAUAAABjb3VudAAAADz///8AAAABTAAAAEAAAAAEAAAACAAAAAgAAACwBAAAAQAA" +
        "AAQAAADM+v//EAAAAAQAAAABAAAAMAAAAAkAAABjb21wb25lbnQAAAABAAAAIAAAABQAAABtb2J1bGEuZW5naW5lLlBhcmVudAAA" +
        "AAAk/v//AAAAAUAAAAAsAAAABAAAAAEAAAAEAAAAMPv//xAAAAAEAAAAAQAAADAAAAADAAAAY3V0AKT9//8AAAAPAQAAAAEAAAAG" +
        "AAAAZW50aXR5AAAUACAACAAMAAcAEAAUABgAAAAcABQAAAAAAAABUAAAAEAAAAAEAAAAHAAAAAgAAADYAwAAAQAAAAQAAACk+///" +
        "EAAAAAQAAAABAAAAMAAAAAkAAABjb21wb25lbnQAAAACAAAAQAEAADwAAAAXAAAAbW9idWxhLmVuZ2luZS5UcmFuc2Zvcm0AHAAY" +
        "AAwAEAAIAAoAAAAAAAAAAAAAABQAAAAHABwAAAAAAAABAQAMAMgAAAC0AAAABAAAAAQAAACIAAAAWAAAADAAAAAEAAAAOPz//xAA" +
        "AAAEAAAAAQAAADAAAAAPAAAAdW5pdF9xdWF0ZXJuaW9uAGD8//8UAAAABAAAAAcAAAAwIDAgMCAxAAcAAABkZWZhdWx0AIT8//8U" +
        "AAAABAAAAAUAAAAwLjAwMQAAAA4AAABkZWFkX3JlY2tvbmluZwAAsPz//xAAAAAEAAAAAgAAADEyAAAEAAAAYml0cwAAAAAo////" +
        "AAAADwMAAAABAAAACAAAAHJvdGF0aW9uAAAAABwAFAAIAAwAAAAAAAAAAAAAAAAAAAAQAAAABwAcAAAAAAAAAbQAAACgAAAABAAA" +
        "AAMAAABYAAAALAAAAAQAAAAw/f//FAAAAAQAAAAFAAAAMC4wMDIAAAAEAAAAc3RlcAAAAABU/f//GAAAAAQAAAAIAAAALTUxMiA1" +
        "MTIAAAAABQAAAHJhbmdlAAAAfP3//xQAAAAEAAAABQAAADAuMDA1AAAADgAAAGRlYWRfcmVja29uaW5nAAAQABAABwAAAAgAAAAA" +
        "AAwAEAAAAAAAAA8GAAAAAQAAAAgAAABwb3NpdGlvbgAAAACY/v//AAAAASAAAAAQAAAABAAAAAgAAACAAQAAAgAAACQAAABMAAAA" +
        "FwAAAG1vYnVsYS5lbmdpbmUuRW50aXR5UmVmAEz+//8BAAQAFAAAAAQAAAAY/v//AAAACAEAAAAKAAAAZ2VuZXJhdGlvbgAASP7/" +
        "/xQAAAAEAAAAQP7//wAAAAgBAAAABQAAAGluZGV4AAAALP///wAAAAEoAAAAEAAAAAQAAAAQAAAA7AAAAAQAAAAoAAAAkAAAAGgA" +
        "AABAAAAAEgAAAG1vYnVsYS5lbmdpbmUuUXVhdAAA5P7//wMADAAUAAAABAAAALD+//8AAAALAQAAAAEAAAB3AAAACP///wIACAAU" +
        "AAAABAAAANT+//8AAAALAQAAAAEAAAB6AAAALP///wEABAAUAAAABAAAAPj+//8AAAALAQAAAAEAAAB5AAAAIP///xQAAAAEAAAA" +
        "GP///wAAAAsBAAAAAQAAAHgAAAAUABwACAAMAAcAEAAUAAAAAAAYABQAAAAAAAABOAAAACQAAAAEAAAADAAAAAQAAAAMAAAALy9l" +
        "bmdpbmUuZmJzAAAAAAMAAACAAAAAUAAAABwAAAASAAAAbW9idWxhLmVuZ2luZS5WZWMzAADc////AgAIABQAAAAEAAAAqP///wAA" +
        "AAsBAAAAAQAAAHoAAAAMABAACAAMAAQABgAMAAAAAQAEABQAAAAEAAAA2P///wAAAAsBAAAAAQAAAHkAAAAIAAwABAAIAAgAAAAk" +
        "AAAAFAAAABAADAAHAAAAAAAAAAAACAAQAAAAAAAACwEAAAABAAAAeAAAAA==");
  }

  [global::Mobula.Component("Cuts", 1,
      "count:uint8@0")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 1)]
  public struct Cuts : global::Mobula.IComponent, global::System.IEquatable<Cuts> {
    public byte Count;

    public bool Equals(Cuts other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Cuts && Equals((Cuts)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 16)]
  public struct Quat : global::System.IEquatable<Quat> {
    public float X;
    public float Y;
    public float Z;
    public float W;

    public bool Equals(Quat other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Quat && Equals((Quat)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("SpawnKey", 16,
      "tick:uint32@0 player:uint32@4 command:uint32@8 ordinal:uint8@12")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 16)]
  public struct SpawnKey : global::Mobula.IComponent, global::System.IEquatable<SpawnKey> {
    public uint Tick;
    public uint Player;
    public uint Command;
    public byte Ordinal;
    private byte padding0;
    private byte padding1;
    private byte padding2;

    public bool Equals(SpawnKey other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is SpawnKey && Equals((SpawnKey)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 12)]
  public struct Vec3 : global::System.IEquatable<Vec3> {
    public float X;
    public float Y;
    public float Z;

    public bool Equals(Vec3 other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Vec3 && Equals((Vec3)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Parent", 8,
      "entity:entity@0")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 8)]
  public struct Parent : global::Mobula.IComponent, global::System.IEquatable<Parent> {
    public global::Mobula.Entity Entity;

    public bool Equals(Parent other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Parent && Equals((Parent)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

  [global::Mobula.Component("Transform", 28,
      "position.x:float32@0 position.y:float32@4 position.z:float32@8 rotation:quaternion@12")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 28)]
  public struct Transform : global::Mobula.IComponent, global::System.IEquatable<Transform> {
    public global::Mobula.Engine.Vec3 Position;
    public global::Mobula.Engine.Quat Rotation;

    /// <summary>The value in a new component.</summary>
    public static readonly Transform Default = global::Mobula.Blittable.FromHex<Transform>(
        "0000000000000000000000000000000000000000000000000000803f");

    public bool Equals(Transform other) { return global::Mobula.Blittable.Equal(ref this, ref other); }
    public override bool Equals(object other) { return other is Transform && Equals((Transform)other); }
    public override int GetHashCode() { return global::Mobula.Blittable.Hash(ref this); }
  }

}
