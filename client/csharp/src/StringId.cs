using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Mobula {

/// <summary>Hash of a name: FNV-1a of 32 bits over its UTF-8.</summary>
[StructLayout(LayoutKind.Sequential, Size = 4)]
public readonly struct StringId : IEquatable<StringId> {
  public readonly uint Hash;

  public StringId(uint hash) { Hash = hash; }

  public StringId(string name) {
    uint hash = 2166136261u;
    foreach (byte each in Encoding.UTF8.GetBytes(name)) hash = unchecked((hash ^ each) * 16777619u);
    Hash = hash;
  }

  public bool Equals(StringId other) { return Hash == other.Hash; }
  public override bool Equals(object other) { return other is StringId && Equals((StringId)other); }
  public override int GetHashCode() { return (int)Hash; }
  public override string ToString() { return Hash.ToString("x8"); }
  public static bool operator ==(StringId left, StringId right) { return left.Hash == right.Hash; }
  public static bool operator !=(StringId left, StringId right) { return left.Hash != right.Hash; }
}

}
