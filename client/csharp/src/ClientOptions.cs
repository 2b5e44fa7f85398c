using System;
using System.Text;

namespace Mobula {

[Flags]
public enum ClientFlags : uint {
  None = 0,
  /// <summary>Join without an entity and without commands.</summary>
  Spectate = 1 << 0,
  /// <summary>Do not ask the server for hashes of the mirror.</summary>
  NoVerify = 1 << 1,
  /// <summary>Acknowledge deltas unread and mirror nothing, for load tests.</summary>
  NoMirror = 1 << 2,
  /// <summary>Request the server's level; see MobulaClient.TryNextLevel.</summary>
  Levels = 1 << 3
}

/// <summary>Options of a new client, which copies them.</summary>
public sealed class ClientOptions {
  public ClientFlags Flags;
  /// <summary>The player's name, printable, at most 24 bytes of UTF-8. Null is no name.</summary>
  public string Name;
  /// <summary>Connect token: its 2,048 bytes, or these as base64 text.</summary>
  public byte[] Token;
  /// <summary>The schema that the program was built with; a server with another one refuses the client. Null accepts
  /// any. Components are compared with their structs in either case.</summary>
  public byte[] Schema;

  /// <summary>The connect token as base64 text.</summary>
  public string TokenText { set { Token = value == null ? null : Encoding.ASCII.GetBytes(value); } }
}

}
