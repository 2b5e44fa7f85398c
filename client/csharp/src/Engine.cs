// Generated from engine.fbs: do not edit.
// Blittable structs, byte for byte what the schema declares. Padding is explicit and zero.
#pragma warning disable 0169, 0414, 0649  // only the library writes padding and arrays

namespace Mobula.Engine {

  public static class EngineSchema {
    /// <summary>BLAKE2b-256 of the schema's binary form.</summary>
    public const string Fingerprint =
        "f10fd63df57851a5d87fd34b4d70e5d5133b95f489a2a268bf637c83b15b8146";

    /// <summary>The schema in FlatBuffers' binary form, for ClientOptions.Schema.</summary>
    public static readonly byte[] Bytes = global::System.Convert.FromBase64String(
        "HAAAAEJGQlMUABwABAAIAAwAEAAAABQAAAAYABQAAAAwAAAAKAAAABwAAAAQAAAACAAAADwAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
        "AAAAAAAHAAAAGAIAACwGAAD0AgAAuAYAACQAAADAAwAAlAcAAAEAAAAEAAAAzPf//6AHAAAEAAAAAAAAAHT8//8AAAABfAAAAGgA" +
        "AAAEAAAADAAAAAgAAAB4BwAAAgAAACwAAAAEAAAACPj//xAAAAAEAAAAAQAAADAAAAAJAAAAbm90X3NhdmVkAAAALPj//xAAAAAE" +
        "AAAAAQAAADAAAAAJAAAAY29tcG9uZW50AAAAAwAAAMAAAABEAAAAEAEAABYAAABtb2J1bGEuZW5naW5lLlNwYXduS2V5AAAAAB4A" +
        "GAAMABAABgAIAAAAAAAAAAAAAAAUAAAAAAAKAB4AAAAAAAIACAADAEgAAAA0AAAABAAAAAEAAAAEAAAAvPj//xAAAAAEAAAAAQAA" +
        "ADAAAAAKAAAAb3duZXJfb25seQAAaP7//wAAAAQBAAAAAQAAAAcAAABvcmRpbmFsABgAFAAIAAwABAAGAAAAAAAAAAAAAAAQABgA" +
        "AAABAAQARAAAADQAAAAEAAAAAQAAAAQAAAAw+f//EAAAAAQAAAABAAAAMAAAAAoAAABvd25lcl9vbmx5AABA+f//AAAACAEAAAAH" +
        "AAAAY29tbWFuZABA////RAAAADQAAAAEAAAAAQAAAAQAAACE+f//EAAAAAQAAAABAAAAMAAAAAoAAABvd25lcl9vbmx5AACU+f//" +
        "AAAACAEAAAAEAAAAdGljawAAAABY/v//AAAAAUwAAABAAAAAAQAAAAEAAAAIAAAAlAUAAAEAAAAEAAAA6Pn//xAAAAAEAAAAAQAA" +
        "ADAAAAAJAAAAY29tcG9uZW50AAAAAQAAADQAAAASAAAAbW9idWxhLmVuZ2luZS5DdXRzAAAYABAABAAIAAAAAAAAAAAAAAAAAAAA" +
        "DAAYAAAAUAAAADwAAAAEAAAAAQAAAAQAAABc+v//EAAAAAQAAAABAAAAMAAAAAMAAABjdXQAEAAQAAcAAAAAAAAACAAMABAAAAAA" +
        "AAAEAQAAAAEAAAAFAAAAY291bnQAAAA8////AAAAAUwAAABAAAAABAAAAAgAAAAIAAAAsAQAAAEAAAAEAAAAzPr//xAAAAAEAAAA" +
        "AQAAADAAAAAJAAAAY29tcG9uZW50AAAAAQAAACAAAAAUAAAAbW9idWxhLmVuZ2luZS5QYXJlbnQAAAAAJP7//wAAAAFAAAAALAAA" +
        "AAQAAAABAAAABAAAADD7//8QAAAABAAAAAEAAAAwAAAAAwAAAGN1dACk/f//AAAADwEAAAABAAAABgAAAGVudGl0eQAAFAAgAAgA" +
        "DAAHABAAFAAYAAAAHAAUAAAAAAAAAVAAAABAAAAABAAAABwAAAAIAAAA2AMAAAEAAAAEAAAApPv//xAAAAAEAAAAAQAAADAAAAAJ" +
        "AAAAY29tcG9uZW50AAAAAgAAAEABAAA8AAAAFwAAAG1vYnVsYS5lbmdpbmUuVHJhbnNmb3JtABwAGAAMABAACAAKAAAAAAAAAAAA" +
        "AAAUAAAABwAcAAAAAAAAAQEADADIAAAAtAAAAAQAAAAEAAAAiAAAAFgAAAAwAAAABAAAADj8//8QAAAABAAAAAEAAAAwAAAADwAA" +
        "AHVuaXRfcXVhdGVybmlvbgBg/P//FAAAAAQAAAAHAAAAMCAwIDAgMQAHAAAAZGVmYXVsdACE/P//FAAAAAQAAAAFAAAAMC4wMDEA" +
        "AAAOAAAAZGVhZF9yZWNrb25pbmcAALD8//8QAAAABAAAAAIAAAAxMgAABAAAAGJpdHMAAAAAKP///wAAAA8DAAAAAQAAAAgAAABy" +
        "b3RhdGlvbgAAAAAcABQACAAMAAAAAAAAAAAAAAAAAAAAEAAAAAcAHAAAAAAAAAG0AAAAoAAAAAQAAAADAAAAWAAAACwAAAAEAAAA" +
        "MP3//xQAAAAEAAAABQAAADAuMDAyAAAABAAAAHN0ZXAAAAAAVP3//xgAAAAEAAAACAAAAC01MTIgNTEyAAAAAAUAAAByYW5nZQAA" +
        "AHz9//8UAAAABAAAAAUAAAAwLjAwNQAAAA4AAABkZWFkX3JlY2tvbmluZwAAEAAQAAcAAAAIAAAAAAAMABAAAAAAAAAPBgAAAAEA" +
        "AAAIAAAAcG9zaXRpb24AAAAAmP7//wAAAAEgAAAAEAAAAAQAAAAIAAAAgAEAAAIAAAAkAAAATAAAABcAAABtb2J1bGEuZW5naW5l" +
        "LkVudGl0eVJlZgBM/v//AQAEABQAAAAEAAAAGP7//wAAAAgBAAAACgAAAGdlbmVyYXRpb24AAEj+//8UAAAABAAAAED+//8AAAAI" +
        "AQAAAAUAAABpbmRleAAAACz///8AAAABKAAAABAAAAAEAAAAEAAAAOwAAAAEAAAAKAAAAJAAAABoAAAAQAAAABIAAABtb2J1bGEu" +
        "ZW5naW5lLlF1YXQAAOT+//8DAAwAFAAAAAQAAACw/v//AAAACwEAAAABAAAAdwAAAAj///8CAAgAFAAAAAQAAADU/v//AAAACwEA" +
        "AAABAAAAegAAACz///8BAAQAFAAAAAQAAAD4/v//AAAACwEAAAABAAAAeQAAACD///8UAAAABAAAABj///8AAAALAQAAAAEAAAB4" +
        "AAAAFAAcAAgADAAHABAAFAAAAAAAGAAUAAAAAAAAATgAAAAkAAAABAAAAAwAAAAEAAAADAAAAC8vZW5naW5lLmZicwAAAAADAAAA" +
        "gAAAAFAAAAAcAAAAEgAAAG1vYnVsYS5lbmdpbmUuVmVjMwAA3P///wIACAAUAAAABAAAAKj///8AAAALAQAAAAEAAAB6AAAADAAQ" +
        "AAgADAAEAAYADAAAAAEABAAUAAAABAAAANj///8AAAALAQAAAAEAAAB5AAAACAAMAAQACAAIAAAAJAAAABQAAAAQAAwABwAAAAAA" +
        "AAAAAAgAEAAAAAAAAAsBAAAAAQAAAHgAAAA=");
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

  [global::Mobula.Component("SpawnKey", 12,
      "tick:uint32@0 command:uint32@4 ordinal:uint8@8")]
  [global::System.Runtime.InteropServices.StructLayout(
      global::System.Runtime.InteropServices.LayoutKind.Sequential, Size = 12)]
  public struct SpawnKey : global::Mobula.IComponent, global::System.IEquatable<SpawnKey> {
    public uint Tick;
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
