using System;
using System.Threading;
using Demo;
using Mobula;
using Mobula.Engine;

/// <summary>A frame of a game with 1,000 entities that move makes no garbage.</summary>
static class GarbageTest {
  const int warmSteps = 100;
  const int ticks = 300;

  static Entity[] entities, shown;
  static Transform[] places, pictures;
  static float sum;

  [Test]
  public static void MeterCountsAnAllocation() {
    long before = GC.GetAllocatedBytesForCurrentThread();
    byte[] garbage = new byte[64];
    long made = GC.GetAllocatedBytesForCurrentThread() - before;
    Check.True(made >= garbage.Length && made < 200, made + " bytes for an array of 64");
  }

  [Test]
  public static void FramesOfAThousandEntitiesMakeNone() {
    using (MobulaClient client = World.Join()) {
      client.SetCommandSchema(World.CommandSchema);
      for (int step = 0; step < warmSteps; ++step) Frame(client);
      Thread.Sleep(500);  // the next frames have the changes of many ticks at once, for which arrays grow
      for (int step = 0; step < warmSteps; ++step) Frame(client);
      uint first = client.Status.Tick;
      ulong changes = 0;
      int frames = 0, updates = 0;
      long before = GC.GetAllocatedBytesForCurrentThread();
      for (uint last = first; last - first < ticks; ++frames) {
        changes += Frame(client);
        if (client.Status.Tick != last) ++updates;
        last = client.Status.Tick;
      }
      long made = GC.GetAllocatedBytesForCurrentThread() - before;
      Check.Equal(0L, made, "bytes of garbage in " + frames + " frames");
      Check.True(changes > 500 * (ulong)updates, changes + " changes are those of a thousand moving entities");
      Console.WriteLine(frames + " frames, " + ticks + " ticks, " + changes + " changes: " + made + " bytes");
    }
  }

  // Reads what a game reads with each frame, by every way that promises no garbage. Returns the number of changes.
  static uint Frame(MobulaClient client) {
    client.Poll(20);
    uint changes = 0;
    foreach (Change change in client.Changes) {
      Transform at;
      if (change.Kind == ChangeKind.Changed && client.TryRead(change.Entity, out at)) sum += at.Position.X;
      ++changes;
    }
    foreach (Event each in client.Events) sum += each.Bytes.Length;
    int count = client.ReadColumn(ref entities, ref places);
    for (int i = 0; i < count; ++i) sum += places[i].Position.Z;
    Clock clock = client.ReadClock(MobulaClient.Now);
    client.SampleColumn(clock.ViewTick, ref shown, ref pictures);
    ReadOnlySpan<Health> healths;
    if (client.Column<Health>().TryMap(0, out healths)) sum += healths[0].Current;
    WorldPose pose;
    if (client.TrySamplePose(client.Player, clock.ViewTick, out pose)) sum += pose.PositionX;
    RenderData fog;
    if (!client.TryRead(client.Player, "Fog", out fog)) sum += 1;
    Inventory inventory;
    if (!client.TryRead(client.Player, "Nothing", out inventory)) sum += 1;  // looked for each time: it may come
    Value value;
    if (client.TryReadValue(client.Player, "Transform/position.x", out value)) sum += (float)value.AsDouble;
    client.SetCommand(World.WalkCommand);
    client.SetCommandJson("{\"body_type\": \"Move\", \"body\": {\"x\": 0.1}}");
    sum += client.Statistics.Rtt + client.Status.Entities;
    return changes;
  }
}
