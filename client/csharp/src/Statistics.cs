#pragma warning disable 0169, 0649  // the library writes the members

namespace Mobula {

/// <summary>Counters since the client was created, and estimates of the path. Times are nanoseconds.</summary>
public struct Statistics {  // mobula_statistics
  internal uint StructSize;
  public uint LossPermille;
  /// <summary>0 until measured.</summary>
  public long Rtt;
  public long RttVariation;
  public long Jitter;
  public ulong BytesReceived;
  public ulong BytesSent;
  public ulong DatagramsReceived;
  public ulong DatagramsSent;
  public ulong Deltas;
  public ulong LateDeltas;
  public ulong LostDeltas;
  /// <summary>Number of hashes of the server that matched the mirror.</summary>
  public ulong VerifiedTicks;
  public ulong MismatchedTicks;
  public ulong Corrections;
  public ulong Events;
  public ulong RefusedCommands;
  public ulong Rejoins;
  /// <summary>How often the client has followed its player to another zone.</summary>
  public ulong ZoneChanges;
}

/// <summary>Estimates of a moment, in ticks of the server.</summary>
public struct Clock {  // mobula_clock
  internal uint StructSize;
  private uint known;
  public double ServerTick;
  /// <summary>The tick for which commands are given.</summary>
  public double TargetTick;
  /// <summary>The moment to show, a little in the past.</summary>
  public double ViewTick;

  /// <summary>False until the first delta.</summary>
  public bool Known { get { return known != 0; } }
}

/// <summary>Place and rotation in the world.</summary>
public struct WorldPose {  // mobula_pose
  public float PositionX;
  public float PositionY;
  public float PositionZ;
  public float RotationX;
  public float RotationY;
  public float RotationZ;
  public float RotationW;
}

}
