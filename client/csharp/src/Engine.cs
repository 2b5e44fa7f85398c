// Generated from engine.fbs: do not edit.
// Blittable structs, byte for byte what the schema declares. Padding is explicit and zero.
#pragma warning disable 0169, 0414, 0649  // only the library writes padding and arrays

namespace Mobula.Engine {

  public static class EngineSchema {
    /// <summary>BLAKE2b-256 of the schema's binary form.</summary>
    public const string Fingerprint =
        "89bafec063d865d29c90b55a4ed84c54be03c1286ba352c596e41105a4766d22";

    /// <summary>The schema in FlatBuffers' binary form, for ClientOptions.Schema.</summary>
    public static readonly byte[] Bytes = global::System.Convert.FromBase64String(
        "HAAAAEJGQlMUABwABAAIAAwAEAAAABQAAAAYABQAAAAwAAAAKAAAABwAAAAQAAAACAAAADgAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
        "AAAAAAAGAAAAMAAAAEQEAAAMAQAA0AQAANwBAACwBQAAAQAAAAQAAACw+f//vAUAAAQAAAAAAAAAWP7//wAAAAFMAAAAQAAAAAEA" +
        "AAABAAAACAAAAJQFAAABAAAABAAAAOj5//8QAAAABAAAAAEAAAAwAAAACQAAAGNvbXBvbmVudAAAAAEAAAA0AAAAEgAAAG1vYnVs" +
        "YS5lbmdpbmUuQ3V0cwAAGAAQAAQACAAAAAAAAAAAAAAAAAAAAAwAGAAAAFAAAAA8AAAABAAAAAEAAAAEAAAAXPr//xAAAAAEAAAA" +
        "AQAAADAAAAADAAAAY3V0ABAAEAAHAAAAAAAAAAgADAAQAAAAAAAABAEAAAABAAAABQAAAGNvdW50AAAAPP///wAAAAFMAAAAQAAA" +
        "AAQAAAAIAAAACAAAALAEAAABAAAABAAAAMz6//8QAAAABAAAAAEAAAAwAAAACQAAAGNvbXBvbmVudAAAAAEAAAAgAAAAFAAAAG1v" +
        "YnVsYS5lbmdpbmUuUGFyZW50AAAAACT+//8AAAABQAAAACwAAAAEAAAAAQAAAAQAAAAw+///EAAAAAQAAAABAAAAMAAAAAMAAABj" +
        "dXQApP3//wAAAA8BAAAAAQAAAAYAAABlbnRpdHkAABQAIAAIAAwABwAQABQAGAAAABwAFAAAAAAAAAFQAAAAQAAAAAQAAAAcAAAA" +
        "CAAAANgDAAABAAAABAAAAKT7//8QAAAABAAAAAEAAAAwAAAACQAAAGNvbXBvbmVudAAAAAIAAABAAQAAPAAAABcAAABtb2J1bGEu" +
        "ZW5naW5lLlRyYW5zZm9ybQAcABgADAAQAAgACgAAAAAAAAAAAAAAFAAAAAcAHAAAAAAAAAEBAAwAyAAAALQAAAAEAAAABAAAAIgA" +
        "AABYAAAAMAAAAAQAAAA4/P//EAAAAAQAAAABAAAAMAAAAA8AAAB1bml0X3F1YXRlcm5pb24AYPz//xQAAAAEAAAABwAAADAgMCAw" +
        "IDEABwAAAGRlZmF1bHQAhPz//xQAAAAEAAAABQAAADAuMDAxAAAADgAAAGRlYWRfcmVja29uaW5nAACw/P//EAAAAAQAAAACAAAA" +
        "MTIAAAQAAABiaXRzAAAAACj///8AAAAPAwAAAAEAAAAIAAAAcm90YXRpb24AAAAAHAAUAAgADAAAAAAAAAAAAAAAAAAAABAAAAAH" +
        "ABwAAAAAAAABtAAAAKAAAAAEAAAAAwAAAFgAAAAsAAAABAAAADD9//8UAAAABAAAAAUAAAAwLjAwMgAAAAQAAABzdGVwAAAAAFT9" +
        "//8YAAAABAAAAAgAAAAtNTEyIDUxMgAAAAAFAAAAcmFuZ2UAAAB8/f//FAAAAAQAAAAFAAAAMC4wMDUAAAAOAAAAZGVhZF9yZWNr" +
        "b25pbmcAABAAEAAHAAAACAAAAAAADAAQAAAAAAAADwUAAAABAAAACAAAAHBvc2l0aW9uAAAAAJj+//8AAAABIAAAABAAAAAEAAAA" +
        "CAAAAIABAAACAAAAJAAAAEwAAAAXAAAAbW9idWxhLmVuZ2luZS5FbnRpdHlSZWYATP7//wEABAAUAAAABAAAABj+//8AAAAIAQAA" +
        "AAoAAABnZW5lcmF0aW9uAABI/v//FAAAAAQAAABA/v//AAAACAEAAAAFAAAAaW5kZXgAAAAs////AAAAASgAAAAQAAAABAAAABAA" +
        "AADsAAAABAAAACgAAACQAAAAaAAAAEAAAAASAAAAbW9idWxhLmVuZ2luZS5RdWF0AADk/v//AwAMABQAAAAEAAAAsP7//wAAAAsB" +
        "AAAAAQAAAHcAAAAI////AgAIABQAAAAEAAAA1P7//wAAAAsBAAAAAQAAAHoAAAAs////AQAEABQAAAAEAAAA+P7//wAAAAsBAAAA" +
        "AQAAAHkAAAAg////FAAAAAQAAAAY////AAAACwEAAAABAAAAeAAAABQAHAAIAAwABwAQABQAAAAAABgAFAAAAAAAAAE4AAAAJAAA" +
        "AAQAAAAMAAAABAAAAAwAAAAvL2VuZ2luZS5mYnMAAAAAAwAAAIAAAABQAAAAHAAAABIAAABtb2J1bGEuZW5naW5lLlZlYzMAANz/" +
        "//8CAAgAFAAAAAQAAACo////AAAACwEAAAABAAAAegAAAAwAEAAIAAwABAAGAAwAAAABAAQAFAAAAAQAAADY////AAAACwEAAAAB" +
        "AAAAeQAAAAgADAAEAAgACAAAACQAAAAUAAAAEAAMAAcAAAAAAAAAAAAIABAAAAAAAAALAQAAAAEAAAB4AAAA");
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
