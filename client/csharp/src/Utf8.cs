using System.Text;

namespace Mobula {

/// <summary>Texts at the border of the C interface.</summary>
internal static unsafe class Utf8 {
  /// <summary>Bytes of a text on the stack; longer ones are refused by the library anyway.</summary>
  internal const int StackBytes = 1024;

  /// <summary>Returns the number of bytes of a text and its zero.</summary>
  internal static int Size(string text) { return Encoding.UTF8.GetByteCount(text) + 1; }

  /// <summary>Writes a text and a zero. `capacity` is at least Size(text).</summary>
  internal static void Write(string text, byte* into, int capacity) {
    int length = 0;
    fixed (char* characters = text) length = Encoding.UTF8.GetBytes(characters, text.Length, into, capacity - 1);
    into[length] = 0;
  }

  internal static string Read(byte* text) {
    if (text == null) return null;
    int length = 0;
    while (text[length] != 0) ++length;
    return Encoding.UTF8.GetString(text, length);
  }

  /// <summary>Returns a text as bytes that end with a zero; null of null.</summary>
  internal static byte[] Bytes(string text) { return text == null ? null : Encoding.UTF8.GetBytes(text + "\0"); }
}

}
