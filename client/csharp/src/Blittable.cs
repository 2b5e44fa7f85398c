using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Mobula {

/// <summary>Structs as bytes, for generated code.</summary>
public static class Blittable {
  public static int SizeOf<T>() where T : struct {
    T value = default(T);
    return Bytes(ref value).Length;
  }

  public static bool Equal<T>(ref T left, ref T right) where T : struct {
    return Bytes(ref left).SequenceEqual(Bytes(ref right));
  }

  public static int Hash<T>(ref T value) where T : struct {
    uint hash = 2166136261u;
    foreach (byte each in Bytes(ref value)) hash = unchecked((hash ^ each) * 16777619u);
    return unchecked((int)hash);
  }

  /// <summary>Returns an element of an array that begins with `first`.</summary>
  public static T Get<T>(ref T first, int length, int at) where T : struct {
    return MemoryMarshal.CreateSpan(ref first, length)[at];
  }

  public static void Set<T>(ref T first, int length, int at, T value) where T : struct {
    Span<T> elements = MemoryMarshal.CreateSpan(ref first, length);
    elements[at] = value;
  }

  /// <summary>Returns a value from the hex digits of its bytes.</summary>
  public static T FromHex<T>(string hex) where T : struct {
    T value = default(T);
    Span<byte> bytes = Bytes(ref value);
    for (int i = 0; i < bytes.Length; ++i) bytes[i] = Convert.ToByte(hex.Substring(2 * i, 2), 16);
    return value;
  }

  internal static Span<byte> Bytes<T>(ref T value) where T : struct {
    return MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1));
  }
}

/// <summary>Texts of a fixed number of bytes, zeros behind the text, for generated code.</summary>
public static class FixedText {
  public static string Get(ref byte first, int size) {
    ReadOnlySpan<byte> bytes = MemoryMarshal.CreateReadOnlySpan(ref first, size);
    int end = bytes.IndexOf((byte)0);
    return Encoding.UTF8.GetString(end < 0 ? bytes : bytes.Slice(0, end));
  }

  /// <summary>Writes as many whole characters as fit.</summary>
  public static void Set(ref byte first, int size, string text) {
    Span<byte> bytes = MemoryMarshal.CreateSpan(ref first, size);
    bytes.Clear();
    byte[] utf8 = Encoding.UTF8.GetBytes(text ?? "");
    int length = Math.Min(utf8.Length, size);
    while (length < utf8.Length && length > 0 && (utf8[length] & 0xc0) == 0x80) --length;  // in a character
    utf8.AsSpan(0, length).CopyTo(bytes);
  }
}

}
