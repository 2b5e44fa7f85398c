using System;
using Demo;
using Mobula;
using Mobula.Engine;

/// <summary>Predictions whose steps are written in C#.</summary>
static class PredictionTest {
  /// <summary>Rules that note what they are given, and emit an effect with each command.</summary>
  sealed class Notes : IRules {
    public int Steps, Replays, CommandsSeen;
    public uint Newest;
    public Exception Fails;
    private Entity[] healthy;
    private Health[] healths = new Health[16];

    public void Step(Prediction prediction, Step step) {
      ++Steps;
      if (step.Replayed) ++Replays;
      Check.True(step.Replayed || step.Tick > Newest, "new ticks ascend");
      if (step.Tick > Newest) Newest = step.Tick;
      if (Fails != null) throw Fails;
      foreach (Command command in prediction.Commands) {
        ++CommandsSeen;
        Check.True(command.Bytes.SequenceEqual(World.WalkCommand), "the command's bytes");
        prediction.Emit("walk", command.Number, command.Bytes.Slice(0, 4));
      }
      int count = prediction.Visible<Health>(ref healthy);
      int read = Math.Min(count, healths.Length);
      prediction.ReadColumn<Health>(new ReadOnlySpan<Entity>(healthy, 0, read), healths);
      StepRandom random = prediction.Random(7);
      uint below = random.Below(10);
      float uniform = random.Uniform(1, 2);
      if (below >= 10 || uniform < 1 || uniform >= 2) throw new CheckFailed("random numbers are in their range");
    }
  }

  /// <summary>The demo's rules for an avatar on free ground that is sent north or throws, each by one kind of
  /// command. The stones do not fly.</summary>
  sealed class Demonstration : IRules {
    public bool Throws;
    private Entity[] walking;

    public void Step(Prediction prediction, Step step) {
      foreach (Command command in prediction.Commands) {
        if (Throws) Throw(prediction, command);
        else prediction.Write(command.Entity, new Velocity { Linear = new Vec3 { Z = 4 } });
      }
      int count = Throws ? 0 : prediction.Stepped<Velocity, Pose>(ref walking);
      for (int i = 0; i < count; ++i) {
        Velocity velocity;
        Pose pose;
        if (!prediction.TryRead(walking[i], out velocity) || !prediction.TryRead(walking[i], out pose)) continue;
        if (velocity.Linear.Z == 0) continue;
        pose.Position.Z += velocity.Linear.Z * step.Seconds;
        pose.Rotation = new Quat { W = 1 };
        prediction.Write(walking[i], pose);
      }
    }

    static void Throw(Prediction prediction, Command command) {
      Pose pose;
      Check.True(prediction.TryRead(command.Entity, out pose), "the avatar has a Pose");
      prediction.Spawn(command.Number, pose, new Velocity { Linear = new Vec3 { Z = 15 } });
    }
  }

  static Prediction Predict(MobulaClient client) {
    return client.CreatePrediction(new PredictionOptions { Reads = "Health", PredictedMax = 40, Smoothing = new[] {
      new Smoothing { Duration = 40000000, SnapDistance = 4 },
      new Smoothing { Component = "Pose", Duration = 0, SnapDistance = 1 } } });
  }

  static void Step(MobulaClient client, Prediction prediction, IRules rules) {
    client.Poll(20);
    prediction.Update(MobulaClient.Now, rules);
  }

  [Test]
  public static void TicksAreSteppedAndEffectsEndOnce() {
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      Notes notes = new Notes();
      int begun = 0, ended = 0;
      StringId walk = new StringId("walk");
      uint first = client.Status.Tick;
      while (client.Status.Tick - first < 200) {
        uint tick = client.Status.Tick - first;
        if (tick % 20 == 0 && tick < 150) client.SetCommand(World.WalkCommand);
        Step(client, prediction, notes);
        foreach (Effect effect in prediction.Effects) {
          Check.Equal(walk, effect.Name);
          Check.Equal(4, effect.Payload.Length);
          if (effect.Kind == EffectKind.Begun) ++begun; else ++ended;
        }
      }
      Check.True(prediction.Info.Started && prediction.Info.Tick > first, "it has started");
      Check.True(prediction.Info.Tick >= prediction.Info.Reconciled, "it is ahead");
      Check.True(notes.Steps > 150 && notes.CommandsSeen > 0, notes.Steps + " steps, " + notes.CommandsSeen);
      Check.True(begun > 0, "effects have begun");
      Check.Equal(begun, ended, "each effect has ended");
      Check.Equal((ulong)notes.Steps, prediction.Counters.Ticks + prediction.Counters.TicksReplayed);
      Check.Equal((ulong)notes.Replays, prediction.Counters.TicksReplayed);
    }
  }

  [Test]
  public static void AWrittenWalkIsThatOfTheServer() {
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      client.SetCommandSchema(World.CommandSchema);
      Demonstration rules = new Demonstration();
      uint first = client.Status.Tick;
      Pose begin = default(Pose), end = default(Pose);
      while (client.Status.Tick - first < 200) {
        uint tick = client.Status.Tick - first;
        if (tick > 40) client.SetCommandJson("{\"body_type\": \"Move\", \"body\": {\"z\": 1}}");
        Step(client, prediction, rules);
        if (tick <= 40) prediction.TryReadPredicted(client.Player, out begin);
      }
      Check.True(prediction.TryReadPredicted(client.Player, out end), "the avatar is predicted");
      Check.True(end.Position.Z > begin.Position.Z + 4, "it has walked from " + begin.Position.Z + " to " + end.Position.Z);
      Check.Equal(0UL, prediction.Counters.RemoteMispredictions, "ticks that the server computes differently");
    }
  }

  [Test]
  public static void ASpawnContinuesAsTheServersEntity() {
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      client.SetCommandSchema(World.CommandSchema);
      Demonstration rules = new Demonstration { Throws = true };
      Spawn spawned = default(Spawn);
      uint first = client.Status.Tick, thrown = 0;
      while (spawned.Kind != SpawnKind.Matched) {
        Check.True(client.Status.Tick - first < 600, "a spawn is matched");
        if (prediction.Info.Started && client.Status.Tick - thrown >= 60) {
          client.SetCommandJson("{\"body_type\": \"Throw\", \"body\": {\"y\": 0.6, \"z\": 0.8}}");
          thrown = client.Status.Tick;
        }
        Step(client, prediction, rules);
        foreach (Spawn spawn in prediction.Spawns) {
          if (spawn.Kind == SpawnKind.Matched) Check.Equal(spawned.Local, spawn.Local, "the predicted one");
          spawned = spawn;
        }
      }
      Stone stone;
      Check.True(client.TryRead(spawned.Real, out stone), "the server's entity is a stone");
      Check.Equal(client.Player, stone.By);
      Check.Equal(spawned.Command, stone.Command);
    }
  }

  [Test]
  public static void OthersAreShownAsTheMirrorHasThem() {
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      Notes notes = new Notes();
      uint first = client.Status.Tick;
      while (client.Status.Tick - first < 60) Step(client, prediction, notes);
      Entity[] entities = null;
      Transform[] shown = null;
      int count = prediction.SampleColumn(ref entities, ref shown);
      Check.True(count > 1000, count + " are shown");
      Transform one;
      Check.True(prediction.TrySample(entities[0], out one), "the first is shown");
      Check.Equal(shown[0], one);
      Check.Equal(PredictedState.AsMirrored, prediction.StateOf(new Entity(1u << 30, 9)));
      Health health;
      Check.True(!prediction.TryReadPredicted(new Entity(1u << 30, 9), out health), "there is no such entity");
    }
  }

  [Test]
  public static void AStepThatThrowsLeavesTheClientUsable() {
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      Notes notes = new Notes { Fails = new InvalidOperationException("a mistake in a script") };
      bool thrown = false;
      while (!thrown) {
        try {
          Step(client, prediction, notes);
        } catch (InvalidOperationException) {
          thrown = true;
        }
      }
      Check.True(!prediction.Info.Started, "it begins anew");
      notes.Fails = null;
      notes.Newest = 0;
      while (!prediction.Info.Started) Step(client, prediction, notes);
    }
  }

  [Test]
  public static void MisuseIsRefusedByName() {
    using (MobulaClient client = World.Join()) {
      Check.Throws(Result.BadRules, "nobody", () => client.CreatePrediction(new PredictionOptions { Rules = "nobody" }));
      Prediction prediction = Predict(client);
      Check.Throws(Result.WrongState, "has a prediction", () => client.CreatePrediction());
      Check.Throws(Result.WrongState, "no step", () => prediction.EndStep());
      Check.Throws(Result.WrongState, "no step", () => prediction.Destroy(client.Player));
      Step step = default(Step);
      while (step.Tick == 0) {
        client.Poll(20);
        prediction.BeginUpdate(MobulaClient.Now);
        prediction.TryNextStep(out step);
      }
      Inventory undeclared;
      Check.Throws(Result.NoAccess, "reads Inventory", () => prediction.TryRead(client.Player, out undeclared));
      Check.Throws(Result.NoAccess, "writes Health", () => prediction.Write(client.Player, default(Health)));
      Check.Throws(Result.WrongState, "in progress", () => client.Poll());
      prediction.Dispose();
      prediction.Dispose();
      Check.True(client.Poll(), "the client remains usable");
    }
  }

  [Test]
  public static void FramesMakeNoGarbage() {
    const int warmTicks = 150, ticks = 200;
    using (MobulaClient client = World.Join())
    using (Prediction prediction = Predict(client)) {
      Notes notes = new Notes();
      Entity[] entities = null;
      Transform[] shown = null;
      long before = 0;
      uint first = client.Status.Tick;
      for (uint tick = 0; tick < warmTicks + ticks; tick = client.Status.Tick - first) {
        if (tick >= warmTicks && before == 0) before = GC.GetAllocatedBytesForCurrentThread();
        client.SetCommand(World.WalkCommand);
        Step(client, prediction, notes);
        if (prediction.Effects.Length + prediction.Spawns.Length > 1000) throw new CheckFailed("too many notices");
        prediction.SampleColumn(ref entities, ref shown);
      }
      Check.Equal(0L, GC.GetAllocatedBytesForCurrentThread() - before, "bytes of garbage");
      Check.True(notes.CommandsSeen > 50, notes.CommandsSeen + " commands were stepped");
    }
  }
}
