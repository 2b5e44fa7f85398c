using System;
using System.Runtime.InteropServices;

namespace Mobula {

/// <summary>Rules that a program steps.</summary>
public interface IRules {
  /// <summary>Computes a tick with the functions of the prediction.</summary>
  void Step(Prediction prediction, Step step);
}

/// <summary>A client's prediction: the rules run ahead of the server, so that commands take effect at once.
///
/// Update it after each step of the client. It hands out the ticks that are due to the program's rules, or computes them
/// by rules that are compiled into the library. Nothing of it makes garbage, except arrays that grow.</summary>
public sealed unsafe partial class Prediction : IDisposable {
  private readonly MobulaClient client;
  private bool disposed;
  private Effect[] effects = new Effect[16];
  private int effectsCount = -1;  // not read since the last update
  private Spawn[] spawns = new Spawn[16];
  private int spawnsCount = -1;

  internal Prediction(MobulaClient client, PredictionOptions options) {
    this.client = client;
    Smoothing[] smoothing = options.Smoothing;
    int count = smoothing == null ? 0 : smoothing.Length;
    NativeSmoothing[] natives = smoothing == null ? null : new NativeSmoothing[count + 1];  // fixed refuses an empty one
    GCHandle[] names = new GCHandle[count];
    try {
      for (int i = 0; i < count; ++i) {
        names[i] = GCHandle.Alloc(Utf8.Bytes(smoothing[i].Component), GCHandleType.Pinned);
        natives[i].Component = (byte*)names[i].AddrOfPinnedObject();
        natives[i].Duration = smoothing[i].Duration;
        natives[i].SnapDistance = smoothing[i].SnapDistance;
      }
      Create(options, natives, count);
    } finally {
      foreach (GCHandle name in names)
        if (name.IsAllocated) name.Free();
    }
  }

  private void Create(PredictionOptions options, NativeSmoothing[] smoothing, int count) {
    fixed (NativeSmoothing* all = smoothing)
    fixed (byte* rules = Utf8.Bytes(options.Rules), reads = Utf8.Bytes(options.Reads),
           component = Utf8.Bytes(options.PositionComponent), field = Utf8.Bytes(options.PositionField)) {
      NativePredictionOptions native = default(NativePredictionOptions);
      native.StructSize = (uint)sizeof(NativePredictionOptions);
      native.Flags = options.Flags;
      native.Rules = rules;
      native.Reads = reads;
      native.InputDelayLeast = options.InputDelayLeast;
      native.InputDelayMost = options.InputDelayMost;
      native.PredictedMax = options.PredictedMax;
      native.SmoothingCount = (uint)count;
      native.Smoothing = all;
      native.SwitchDuration = options.SwitchDuration;
      native.PositionComponent = component;
      native.PositionField = field;
      MobulaClient.Check(NativeMethods.mobula_prediction_create(client.Handle, &native));
    }
  }

  /// <summary>Ends the prediction, also within an update.</summary>
  public void Dispose() {
    if (disposed) return;
    int result = NativeMethods.mobula_prediction_destroy(client.Handle);
    if (result != (int)Result.InvalidClient) MobulaClient.Check(result);  // it ended with its client
    disposed = true;
  }

  // --- Update ------------------------------------------------------------------------------------------------------

  /// <summary>Reconciles what has arrived, and steps the ticks that are due. If a step throws, the update is abandoned,
  /// and the prediction begins anew with the next complete tick. `rules` may be null for rules that are compiled
  /// in.</summary>
  public void Update(long now, IRules rules) {
    BeginUpdate(now);
    try {
      Step step;
      while (TryNextStep(out step)) {
        rules.Step(this, step);
        EndStep();
      }
    } catch {
      AbandonUpdate();
      throw;
    }
  }

  /// <summary>Does the same in parts: BeginUpdate, then TryNextStep and EndStep until there is no step.</summary>
  public void BeginUpdate(long now) {
    effectsCount = spawnsCount = -1;
    MobulaClient.Check(NativeMethods.mobula_prediction_begin_update(client.Handle, now));
  }

  public bool TryNextStep(out Step step) {
    Step next = default(Step);
    next.StructSize = (uint)sizeof(Step);
    int result = NativeMethods.mobula_prediction_next_step(client.Handle, &next);
    step = next;
    return MobulaClient.Check(result) == Result.Ok;
  }

  public void EndStep() { MobulaClient.Check(NativeMethods.mobula_prediction_end_step(client.Handle)); }

  /// <summary>Ends an update that cannot be completed.</summary>
  public void AbandonUpdate() {
    MobulaClient.Check(NativeMethods.mobula_prediction_abandon_update(client.Handle));
  }

  // --- State -------------------------------------------------------------------------------------------------------

  /// <summary>Predicts an entity besides the player's own, or ceases to, from the next complete tick on.</summary>
  public void SetPredicted(Entity entity, bool predicted) {
    MobulaClient.Check(
        NativeMethods.mobula_prediction_set_predicted(client.Handle, entity.Bits, predicted ? 1u : 0u));
  }

  /// <summary>Returns whether an entity is predicted. AsMirrored also if there is no such entity.</summary>
  public PredictedState StateOf(Entity entity) {
    uint state = 0;
    MobulaClient.Found(NativeMethods.mobula_prediction_entity(client.Handle, entity.Bits, &state));
    return (PredictedState)state;
  }

  public PredictionInfo Info {
    get {
      PredictionInfo info = default(PredictionInfo);
      info.StructSize = (uint)sizeof(PredictionInfo);
      MobulaClient.Check(NativeMethods.mobula_prediction_status(client.Handle, &info));
      return info;
    }
  }

  public PredictionCounters Counters {
    get {
      PredictionCounters counters = default(PredictionCounters);
      counters.StructSize = (uint)sizeof(PredictionCounters);
      MobulaClient.Check(NativeMethods.mobula_prediction_statistics(client.Handle, &counters));
      return counters;
    }
  }

  /// <summary>The first difference of the last misprediction as a text; null if this mirror had none.</summary>
  public string LastMisprediction {
    get {
      uint length = 0;
      byte* bytes = stackalloc byte[Utf8.StackBytes];
      int result =
          NativeMethods.mobula_prediction_misprediction(client.Handle, bytes, Utf8.StackBytes, &length);
      if (result == (int)Result.NoMirror) return null;
      bool known = result == (int)Result.BufferTooSmall || MobulaClient.Check(result) == Result.Ok;
      return known ? Utf8.Read(bytes) : null;
    }
  }

  /// <summary>Effects that the last update has begun and ended, in order.</summary>
  public ReadOnlySpan<Effect> Effects {
    get {
      if (effectsCount < 0) effectsCount = ReadEffects();
      return new ReadOnlySpan<Effect>(effects, 0, effectsCount);
    }
  }

  /// <summary>How the entities have changed that steps have spawned, in order.</summary>
  public ReadOnlySpan<Spawn> Spawns {
    get {
      if (spawnsCount < 0) spawnsCount = ReadSpawns();
      return new ReadOnlySpan<Spawn>(spawns, 0, spawnsCount);
    }
  }

  // --- Values ------------------------------------------------------------------------------------------------------

  /// <summary>Reads a component as it is to be shown at the moment of the last update.</summary>
  public bool TrySample<T>(Entity entity, out T value) where T : struct, IComponent {
    value = default(T);
    uint component = client.Column<T>().Number;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* into = &MemoryMarshal.GetReference(bytes)) {
      return MobulaClient.Found(NativeMethods.mobula_prediction_sample(client.Handle, entity.Bits, component, into,
                                                                       (uint)bytes.Length));
    }
  }

  /// <summary>Does the same for all entities that have the component, predicted spawns included. Arrays that are too
  /// short are replaced by longer ones. Returns their number.</summary>
  public int SampleColumn<T>(ref Entity[] entities, ref T[] values) where T : struct, IComponent {
    uint component = client.Column<T>().Number;
    while (true) {
      int capacity = Math.Min(MobulaClient.Length(entities), MobulaClient.Length(values));
      uint count = 0;
      int result;
      fixed (byte* handles = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes<Entity>(entities)))
      fixed (byte* into = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes<T>(values))) {
        result = NativeMethods.mobula_prediction_sample_column(client.Handle, component, (ulong*)handles, into, 0,
                                                               (uint)capacity, &count);
      }
      if (result != (int)Result.BufferTooSmall) return MobulaClient.Count(result, count);
      entities = new Entity[MobulaClient.Grown((int)count)];
      values = new T[entities.Length];
    }
  }

  /// <summary>Reads the value of the newest predicted tick, which is not smoothed.</summary>
  public bool TryReadPredicted<T>(Entity entity, out T value) where T : struct, IComponent {
    value = default(T);
    uint component = client.Column<T>().Number;
    Span<byte> bytes = Blittable.Bytes(ref value);
    fixed (byte* into = &MemoryMarshal.GetReference(bytes)) {
      return MobulaClient.Found(NativeMethods.mobula_prediction_read(client.Handle, entity.Bits, component, into,
                                                                     (uint)bytes.Length));
    }
  }

  private int ReadEffects() {
    while (true) {
      uint count = 0;
      int result;
      fixed (Effect* first = effects) {
        result = NativeMethods.mobula_prediction_read_effects(client.Handle, first, (uint)effects.Length, &count);
      }
      if (result != (int)Result.BufferTooSmall) return MobulaClient.Count(result, count);
      effects = new Effect[MobulaClient.Grown((int)count)];
    }
  }

  private int ReadSpawns() {
    while (true) {
      uint count = 0;
      int result;
      fixed (Spawn* first = spawns) {
        result = NativeMethods.mobula_prediction_read_spawns(client.Handle, first, (uint)spawns.Length, &count);
      }
      if (result != (int)Result.BufferTooSmall) return MobulaClient.Count(result, count);
      spawns = new Spawn[MobulaClient.Grown((int)count)];
    }
  }
}

}
