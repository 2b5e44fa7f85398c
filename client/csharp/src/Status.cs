#pragma warning disable 0169, 0649  // the library writes the members

namespace Mobula {

public enum ClientState : uint { Connecting = 0, Joining = 1, Playing = 2, Closed = 3 }

/// <summary>State of a client, as of its last step.</summary>
public struct Status {  // mobula_status
  internal uint StructSize;
  public ClientState State;
  private uint canRejoin;
  private uint canReconnect;
  /// <summary>Tick rate of the server; 0 until it has accepted the client.</summary>
  public uint TicksPerSecond;
  /// <summary>Tick of the newest delta.</summary>
  public uint Tick;
  private uint complete;
  /// <summary>Number of the mirror, from 1; 0 without one. With another number, read everything anew.</summary>
  public uint Mirror;
  /// <summary>Number of entities in view.</summary>
  public uint Entities;
  /// <summary>Seconds until the server's announced end; uint.MaxValue if none is announced.</summary>
  public uint ClosingSeconds;
  private ulong player;
  /// <summary>Sum of the hashes of all entities in view.</summary>
  public ulong MirrorHash;
  /// <summary>Position of the address that datagrams go to; see MobulaClient.ServerAddress.</summary>
  public uint Server;
  /// <summary>Number of the server's rejoin tokens, with which a lost connection can be resumed as the same player. 0
  /// until they have arrived.</summary>
  public uint RejoinTokens;

  /// <summary>The connection was lost, and Rejoin may resume it.</summary>
  public bool CanRejoin { get { return canRejoin != 0; } }
  /// <summary>Reconnect with a new token starts a new session.</summary>
  public bool CanReconnect { get { return canReconnect != 0; } }
  /// <summary>The mirror holds all that the server had to send with the newest delta.</summary>
  public bool Complete { get { return complete != 0; } }
  /// <summary>The player's own entity; none for a spectator. It may not be in the mirror yet.</summary>
  public Entity Player { get { return new Entity(player); } }
}

/// <summary>Why a connection is closed.</summary>
public enum CloseReason {
  None = 0,
  OtherProtocol,
  ServerFull,
  Refused,
  TimedOut,
  Left,
  Kicked,
  ShuttingDown,
  ProtocolError,
  Replaced,
  TokenExpired,
  InvalidToken,
  NoAnswer,
  HandshakeTimedOut,
  PipeLost,
  Flooding,
  Moved
}

public enum LogLevel { Trace = 0, Debug, Info, Warn, Error, Off }

}
