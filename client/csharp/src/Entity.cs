using System;
using System.Runtime.InteropServices;

namespace Mobula {

/// <summary>Handle of an entity, the same on the server. The default is no entity.</summary>
[StructLayout(LayoutKind.Sequential, Size = 8)]
public readonly struct Entity : IEquatable<Entity> {
  public readonly uint Index;
  public readonly uint Generation;

  public Entity(uint index, uint generation) {
    Index = index;
    Generation = generation;
  }

  public Entity(ulong bits) : this((uint)bits, (uint)(bits >> 32)) {}

  public static readonly Entity None = default(Entity);

  /// <summary>The handle of the C interface.</summary>
  public ulong Bits { get { return (ulong)Generation << 32 | Index; } }
  public bool IsNone { get { return Bits == 0; } }

  public bool Equals(Entity other) { return Bits == other.Bits; }
  public override bool Equals(object other) { return other is Entity && Equals((Entity)other); }
  public override int GetHashCode() { return Bits.GetHashCode(); }
  public override string ToString() { return Index + "." + Generation; }
  public static bool operator ==(Entity left, Entity right) { return left.Bits == right.Bits; }
  public static bool operator !=(Entity left, Entity right) { return left.Bits != right.Bits; }
}

}
