using System;

#pragma warning disable 0169, 0649  // the library writes the members

namespace Mobula {

public enum ChangeKind : uint {
  /// <summary>Came into view: is new, or was seen before.</summary>
  Spawned = 0,
  /// <summary>Has other components.</summary>
  Composed = 1,
  /// <summary>A component has another value.</summary>
  Changed = 2,
  /// <summary>Went out of view. Stays for a while with its last values.</summary>
  Lost = 3,
  Destroyed = 4
}

public struct Change {  // mobula_change
  private ulong entity;
  public ChangeKind Kind;
  /// <summary>Number of the component of Changed; else MobulaClient.NoComponent.</summary>
  public uint Component;

  public Entity Entity { get { return new Entity(entity); } }
}

public struct EntityInfo {  // mobula_entity_info
  internal uint StructSize;
  private uint stale;
  private uint owned;
  /// <summary>Tick of its newest state.</summary>
  public uint Tick;
  /// <summary>Entities with equal numbers have equal components.</summary>
  public uint Prototype;

  /// <summary>Out of view.</summary>
  public bool Stale { get { return stale != 0; } }
  /// <summary>This player's own, so that its owner_only fields are received.</summary>
  public bool Owned { get { return owned != 0; } }
}

public enum Presence : uint {
  /// <summary>The entity is in the mirror, or the event is about none.</summary>
  InView = 0,
  /// <summary>It was destroyed or went out of view since.</summary>
  Removed = 1,
  /// <summary>It was not received in time, and may still come.</summary>
  Unknown = 2
}

/// <summary>An event of the game.</summary>
public unsafe struct Event {  // mobula_event
  private ulong about;
  public uint Tick;
  public Presence Presence;
  private void* bytes;
  private uint size;
  private uint reserved;

  /// <summary>The entity that it is about, or none.</summary>
  public Entity About { get { return new Entity(about); } }
  /// <summary>The game's bytes, not verified. Valid until the client's next Receive, Update or Poll.</summary>
  public ReadOnlySpan<byte> Bytes { get { return new ReadOnlySpan<byte>(bytes, (int)size); } }
}

}
