using System;

#pragma warning disable 0169, 0649  // the library writes the members

namespace Mobula {

[Flags]
public enum PredictionFlags : uint {
  None = 0,
  /// <summary>Do not predict the player's own entity.</summary>
  NoOwnEntity = 1 << 0
}

public enum PredictedState : uint {
  /// <summary>Not predicted.</summary>
  AsMirrored = 0,
  Predicted = 1,
  /// <summary>A step has destroyed it, while the mirror still has it.</summary>
  Ended = 2
}

/// <summary>How corrections of a component type are shown.</summary>
public struct Smoothing {
  /// <summary>Null for all types without an entry of their own.</summary>
  public string Component;
  /// <summary>Nanoseconds. 0 shows corrections at once.</summary>
  public long Duration;
  /// <summary>A component whose position is corrected by more is shown at once.</summary>
  public double SnapDistance;
}

/// <summary>Options of a prediction, as in mobula_client.h. Those that are 0 or null have their default.</summary>
public sealed class PredictionOptions {
  public PredictionFlags Flags;
  /// <summary>Name of rules that are compiled into the library. Null if the program steps the ticks.</summary>
  public string Rules;
  /// <summary>Components without predicted fields that the program's steps read, as "Surface Weather".</summary>
  public string Reads;
  public uint InputDelayLeast;
  public uint InputDelayMost;
  /// <summary>Most ticks ahead of the newest complete one. 0 is 32.</summary>
  public uint PredictedMax;
  /// <summary>Null is 150 ms and a snap distance of 4 for all types.</summary>
  public Smoothing[] Smoothing;
  /// <summary>Nanoseconds, when an entity begins or ceases to be predicted. 0 is 300 ms.</summary>
  public long SwitchDuration;
  public string PositionComponent;
  public string PositionField;
}

/// <summary>A tick that is stepped.</summary>
public struct Step {  // mobula_step
  internal uint StructSize;
  public uint Tick;
  private uint replayed;
  /// <summary>Number of commands that run in it.</summary>
  public uint Commands;
  /// <summary>Number of entities that are stepped.</summary>
  public uint Entities;
  /// <summary>Seconds of a tick.</summary>
  public float Seconds;

  /// <summary>The tick was computed before.</summary>
  public bool Replayed { get { return replayed != 0; } }
}

/// <summary>A command of the player in the tick in which it runs.</summary>
public unsafe struct Command {  // mobula_command
  private ulong entity;
  private void* bytes;
  private uint size;
  /// <summary>1, 2, … within the connection.</summary>
  public uint Number;

  /// <summary>The player's own entity.</summary>
  public Entity Entity { get { return new Entity(entity); } }
  /// <summary>The bytes that were set. Valid until the step ends.</summary>
  public ReadOnlySpan<byte> Bytes { get { return new ReadOnlySpan<byte>(bytes, (int)size); } }
}

public struct PredictionInfo {  // mobula_prediction_info
  internal uint StructSize;
  private uint started;
  /// <summary>The newest tick that is predicted.</summary>
  public uint Tick;
  /// <summary>The newest tick that is known to be the server's.</summary>
  public uint Reconciled;
  /// <summary>Moment to show of predicted entities, as of the last update.</summary>
  public double PredictedTick;
  /// <summary>Moment to show of the others.</summary>
  public double ViewTick;

  /// <summary>A tick of the mirror was complete.</summary>
  public bool Started { get { return started != 0; } }
}

/// <summary>Counters since the prediction was created.</summary>
public struct PredictionCounters {  // mobula_prediction_counters
  internal uint StructSize;
  /// <summary>Ticks ahead of the reconciled one, now.</summary>
  public uint PredictedTicks;
  public ulong Ticks;
  public ulong TicksReplayed;
  public ulong Rollbacks;
  /// <summary>Reconciled ticks that were not the server's, explained by late commands.</summary>
  public ulong LateMispredictions;
  /// <summary>Others: something changed that this client does not predict.</summary>
  public ulong RemoteMispredictions;
  public ulong Restarts;
  public ulong Stalls;
  public ulong DroppedEffects;
  /// <summary>Rollbacks that moved a position.</summary>
  public ulong Corrections;
  public double LastCorrection;
  public double GreatestCorrection;
  public double SumOfCorrections;
  /// <summary>Ticks between a command and its effect, now.</summary>
  public double InputDelay;
  /// <summary>Others: a step read another level than the server's, which this client lacked.</summary>
  public ulong LevelMispredictions;
  /// <summary>Chosen, but more than the limit, or of another player with a predicted field that is owner_only; now.</summary>
  public ulong UnpredictedEntities;
  /// <summary>Nanoseconds that have passed in stalls.</summary>
  public ulong StalledTime;
}

public enum EffectKind : uint {
  Begun = 0,
  /// <summary>It has ended: its tick is reconciled, and has emitted it.</summary>
  Confirmed = 1,
  /// <summary>It has ended: the reconciled tick has not emitted it.</summary>
  Cancelled = 2
}

/// <summary>Beginning or end of an effect.</summary>
public unsafe struct Effect {  // mobula_effect
  public EffectKind Kind;
  private uint name;
  public ulong Key;
  public uint Tick;
  private uint size;
  private void* payload;

  public StringId Name { get { return new StringId(name); } }
  /// <summary>Valid until the next update of the prediction.</summary>
  public ReadOnlySpan<byte> Payload { get { return new ReadOnlySpan<byte>(payload, (int)size); } }
}

public enum SpawnKind : uint {
  /// <summary>A step has spawned it.</summary>
  Predicted = 0,
  /// <summary>The server has spawned it: it continues as Real.</summary>
  Matched = 1,
  /// <summary>It is destroyed, or the server has not spawned it.</summary>
  Vanished = 2
}

/// <summary>A change of an entity that a step has spawned. Command and ordinal identify it.</summary>
public struct Spawn {  // mobula_spawn
  private ulong local;
  private ulong real;
  public SpawnKind Kind;
  public uint Command;
  public uint Ordinal;
  private uint reserved;

  /// <summary>The handle that Spawn has returned.</summary>
  public Entity Local { get { return new Entity(local); } }
  /// <summary>The server's handle, of Matched.</summary>
  public Entity Real { get { return new Entity(real); } }
}

/// <summary>Generator of random numbers of a step.</summary>
public unsafe struct StepRandom {  // mobula_random
  internal ulong A;
  internal ulong B;
  internal ulong C;
  internal ulong D;

  public ulong Next() {
    fixed (StepRandom* self = &this) return NativeMethods.mobula_random_next(self);
  }
  /// <summary>Returns a number in [0, bound); 0 for a bound of 0.</summary>
  public uint Below(uint bound) {
    fixed (StepRandom* self = &this) return NativeMethods.mobula_random_below(self, bound);
  }
  /// <summary>Returns a number in [low, high).</summary>
  public float Uniform(float low, float high) {
    fixed (StepRandom* self = &this) return NativeMethods.mobula_random_uniform(self, low, high);
  }
}

}
