using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Demo;
using Mobula;
using Mobula.Engine;

/// <summary>Clients of a running server with 1,000 entities that move.</summary>
static class WorldTest {
  [Component("Health", 4, "current:uint16@0 most:uint16@2")]
  struct OtherHealth : IComponent {
    public ushort Current, Most;
  }

  [Component("Nowhere", 4, "value:int32@0")]
  struct Nowhere : IComponent {
    public int Value;
  }

  [Test]
  public static void JoinsAndReadsTheWorld() {
    using (MobulaClient client = World.Join()) {
      Entity[] entities = null, wanderers = null, all = null;
      Transform[] places = null;
      Health[] healths = null;
      int count = client.ReadColumn(ref entities, ref places);
      Check.True(count > 1000, count + " transforms are more than 1000");
      Check.Equal((int)client.Status.Entities, client.ReadEntities(ref all));
      Check.True(client.ReadColumn(ref wanderers, ref healths) >= 1000, "all mobs have Health");
      for (int i = 0; i < count; ++i) {
        Transform one;
        Check.True(client.TryRead(entities[i], out one), entities[i] + " has a Transform");
        Check.Equal(places[i], one, "of " + entities[i]);
      }
      Check.Equal(ClientState.Playing, client.Status.State);
      Check.True(client.Status.TicksPerSecond > 0 && client.Status.Mirror == 1, "the server is known");
      Check.Equal(0ul, client.Statistics.MismatchedTicks);
      Check.True(client.Statistics.DatagramsReceived > 0 && client.Statistics.Deltas > 0, "datagrams are counted");
    }
  }

  [Test]
  public static void ShortArraysReceiveWhatFits() {
    using (MobulaClient client = World.Join()) {
      Entity[] all = null, few = new Entity[10], entities = new Entity[4];
      Transform[] values = null, places = new Transform[5];
      int count = client.ReadColumn(ref all, ref values);
      Check.Equal(count, client.ReadColumn(entities, places));
      Check.True(entities.SequenceEqual(all.Take(4)), "the first four");
      Check.Equal(values[3], places[3]);
      Check.Equal(default(Transform), places[4], "beyond the shorter array");
      Check.Equal(count, client.ReadColumn<Transform>(few, null));
      Check.True(few.SequenceEqual(all.Take(10)), "entities alone");
      Check.Equal(count, client.Column<Transform>().Count);
      Check.True(client.ReadEntities(few) > 10, "entities of the world");
    }
  }

  [Test]
  public static void ColumnsAreMappedWithoutACopy() {
    using (MobulaClient client = World.Join()) {
      Entity[] entities = null;
      Health[] values = null;
      int count = client.ReadColumn(ref entities, ref values), at = 0;
      ReadOnlySpan<Health> mapped;
      while (client.Column<Health>().TryMap(at, out mapped)) {
        foreach (Health each in mapped) Check.Equal(values[at++], each);
      }
      Check.Equal(count, at);
    }
  }

  [Test]
  public static void InstancesHaveTheirOwnColumns() {
    using (MobulaClient client = World.Join()) {
      Entity[] entities = null;
      RenderData[] fogs = null;
      Check.True(client.Column<RenderData>("Fog").Read(ref entities, ref fogs) > 0, "there is fog");
      Check.True(client.Column<RenderData>("Body").Number != client.Column<RenderData>("Fog").Number, "two components");
      RenderData fog, body;
      Check.True(client.TryRead(entities[0], "Fog", out fog) && fog.Equals(fogs[0]), "the same fog");
      Check.True(!client.TryRead(client.Player, "Fog", out body), "the player has no fog");
      Check.True(!client.TryRead(entities[0], "Nothing", out fog), "there is no such instance");
      Check.True(ReferenceEquals(client.Column<RenderData>("Fog"), client.Column<RenderData>("Fog")),
                 "it is made once");
    }
  }

  [Test]
  public static void MissingIsFalseAndAnotherLayoutIsAnError() {
    using (MobulaClient client = World.Join()) {
      Nowhere nowhere;
      Health health;
      Target target;
      Value value;
      Check.True(!client.TryRead(client.Player, out nowhere), "the schema does not declare it");
      Check.True(!client.TryRead(new Entity(1, 77), out health), "no such entity");
      Check.True(!client.TryRead(client.Player, out target), "the player does not have it");
      Check.Equal(0, client.ComponentsOf(new Entity(1, 77), new uint[4]));
      Check.Throws(Result.BadSchema, "most:uint16@2", () => client.Column<OtherHealth>().Read(null, null));
      Check.Throws(Result.NoProperty, "", () => client.TryReadValue(client.Player, "Transform/position.q", out value));
      Check.True(client.TryRead(client.Player, out Transform at), "the client remains usable");
    }
  }

  [Test]
  public static void ValuesAreReadByTheirPaths() {
    using (MobulaClient client = World.Join()) {
      Transform at;
      Avatar avatar = default(Avatar);
      Name name = default(Name);
      Value x, player, text, turn;
      float turnX, turnY, turnZ, turnW;
      Check.True(client.TryRead(client.Player, out at), "the player is there");
      Check.True(client.TryRead(client.Player, out avatar), "the player has an avatar");
      Check.True(client.TryReadValue(client.Player, "Transform/position.x", out x), "a float");
      Check.Equal(ValueKind.Float32, x.Kind);
      Check.Equal((double)at.Position.X, x.AsDouble);
      Check.True(client.TryReadValue(client.Player, "Transform/rotation", out turn), "a rotation");
      turn.AsQuaternion(out turnX, out turnY, out turnZ, out turnW);
      Check.Equal(at.Rotation, new Quat { X = turnX, Y = turnY, Z = turnZ, W = turnW });
      Check.True(client.TryReadValue(client.Player, "Avatar/player", out player), "an integer");
      Check.Equal((ulong)avatar.Player, player.AsULong);
      Check.True(client.TryRead(client.Player, out name), "the player has a name");
      Check.True(client.TryReadValue(client.Player, "Name/text", out text), "a text");
      Check.Equal("tester", text.AsText);
      Check.Equal("tester", name.Text);
      Check.Equal("{\"text\":\"tester\"}", client.ReadJson(client.Player, "Name").Replace(" ", ""));
    }
  }

  [Test]
  public static void SchemaIsThatOfTheStructs() {
    using (MobulaClient client = World.Join()) {
      IReadOnlyList<SchemaType> types = client.ReadSchema();
      SchemaType transform = types.Single(each => each.Name == "Transform");
      Check.Equal(28, transform.Size);
      Check.Equal("position.x:float32@0 position.y:float32@4 position.z:float32@8 rotation:quaternion@12",
                  transform.Layout);
      Check.True((transform.Fields[0].Flags & FieldFlags.Reckoned) != 0, "it has dead reckoning");
      Check.Equal(-512.0, transform.Fields[0].Low);
      SchemaField color = types.Single(each => each.Name == "Team").Fields[0];
      Check.Equal("red", color.EnumValues[(long)TeamColor.Red]);
      Check.True(client.ReadSchemaBytes().SequenceEqual(DemoSchema.Bytes), "the generated schema is the server's");
      Check.Equal("Transform", client.TypeOf(client.Column<Transform>().Number).Name);
      Check.True(client.ComponentCount > 5, "components are counted");
    }
  }

  [Test]
  public static void BytesAreReadWithoutAStruct() {
    using (MobulaClient client = World.Join()) {
      uint number;
      Health health;
      byte[] bytes = new byte[4];
      Check.True(client.TryFindComponent("Health", null, out number), "Health is known");
      Check.True(!client.TryFindComponent("Wealth", null, out number), "Wealth is not");
      Entity[] entities = null;
      Health[] values = null;
      client.ReadColumn(ref entities, ref values);
      client.TryFindComponent("Health", null, out number);
      Check.True(client.TryReadBytes(entities[0], number, bytes), "it has Health");
      Check.True(client.TryRead(entities[0], out health), "it has Health");
      Check.Equal((int)health.Current, bytes[0] | bytes[1] << 8);
      Check.Throws(Result.BufferTooSmall, "", () => client.TryReadBytes(entities[0], number, new byte[3]));
    }
  }

  [Test]
  public static void ChangesNameWhatHasChanged() {
    using (MobulaClient client = World.Connect()) {
      HashSet<Entity> seen = new HashSet<Entity>();
      int moved = 0;
      Func<bool> follow = () => {
        uint transform = client.Column<Transform>().Number;
        foreach (Change change in client.Changes) {
          if (change.Kind == ChangeKind.Spawned) seen.Add(change.Entity);
          if (change.Kind == ChangeKind.Destroyed) seen.Remove(change.Entity);
          if (change.Kind == ChangeKind.Changed && change.Component == transform) ++moved;
          if (change.Kind == ChangeKind.Destroyed) Check.Equal(MobulaClient.NoComponent, change.Component);
        }
        return client.Status.Complete && moved > 5000;
      };
      World.Until(client, follow, "thousands of changed transforms");
      Entity[] entities = null;
      int count = client.ReadEntities(ref entities);
      Check.True(seen.SetEquals(entities.Take(count)), "the followed entities are those of the mirror");
    }
  }

  [Test]
  public static void CommandsMoveThePlayer() {
    using (MobulaClient client = World.Join()) {
      Transform start, at = default(Transform);
      client.TryRead(client.Player, out start);
      Check.Throws(Result.BadSchema, "", () => client.SetCommandJson("{}"));
      client.SetCommandSchema(World.CommandSchema);
      Check.Throws(Result.BadJson, "", () => client.SetCommandJson("{\"body_type\": \"Fly\"}"));
      client.SetCommandJson("{\"body_type\": \"Move\", \"body\": {\"x\": 1}}");
      World.Until(client, () => client.TryRead(client.Player, out at) && at.Position.X > start.Position.X + 1,
                  "it moves along x");
      client.SetCommand(World.WalkCommand);
      World.Until(client, () => client.TryRead(client.Player, out at) && at.Position.Z > start.Position.Z + 1,
                  "it moves along z");
      Check.Equal(0ul, client.Statistics.RefusedCommands);
      Check.Throws(Result.TooLarge, "", () => client.SetCommand(new byte[100000]));
    }
  }

  [Test]
  public static void PicturesAreBetweenTwoStates() {
    using (MobulaClient client = World.Join()) {
      Entity[] entities = null;
      Transform[] places = null;
      Clock clock = default(Clock);
      World.Until(client, () => (clock = client.ReadClock(MobulaClient.Now)).Known, "the clock is known");
      for (int steps = 0; steps < 10; ++steps) {
        client.Poll(20);
        clock = client.ReadClock(MobulaClient.Now);
      }
      Check.True(clock.ViewTick < clock.TargetTick, "what is shown is older than where commands go");
      Check.True(client.SampleColumn(clock.ViewTick, ref entities, ref places) > 1000, "a column of that moment");
      Transform one;
      WorldPose pose;
      Check.True(client.TrySample(entities[0], clock.ViewTick, out one) && one.Equals(places[0]), "the same moment");
      Check.True(client.TrySamplePose(client.Player, clock.ViewTick, out pose), "the player has a pose");
      Check.True(client.TrySample(client.Player, clock.ViewTick, out one), "the player has a Transform");
      Check.Equal(one.Position, new Vec3 { X = pose.PositionX, Y = pose.PositionY, Z = pose.PositionZ },
                  "without a parent");
      Check.True(!client.TrySample(new Entity(1, 77), clock.ViewTick, out one), "no such entity");
    }
  }

  [Test]
  public static void ProgramMayOwnTheSocket() {
    using (MobulaClient client = World.Create(DemoSchema.Bytes))
    using (Socket socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)) {
      string[] address = client.ServerAddress(0).Split(':');
      Check.True(client.ServerAddress(99) == null, "it has fewer addresses");
      socket.Connect(new IPEndPoint(IPAddress.Parse(address[0]), int.Parse(address[1])));
      byte[] buffer = new byte[MobulaClient.DatagramBytesMax];
      int size, steps = 0;
      while (client.Status.State != ClientState.Playing && ++steps < 5000) {
        Check.True(client.Update(MobulaClient.Now), "it is open");
        while (client.TryNextDatagram(buffer, out size)) socket.Send(buffer, size, SocketFlags.None);
        Check.True(client.NextWakeup(MobulaClient.Now) > 0, "there is a next step");
        if (socket.Poll(10000, SelectMode.SelectRead)) {
          size = socket.Receive(buffer);
          client.Receive(new ReadOnlySpan<byte>(buffer, 0, size), MobulaClient.Now);
        }
      }
      Check.Equal(ClientState.Playing, client.Status.State);
      client.Leave();
      Check.True(client.TryNextDatagram(buffer, out size) && size > 0, "a farewell");
      socket.Send(buffer, size, SocketFlags.None);
    }
  }

  [Test]
  public static void LeavingClosesWithAReason() {
    using (MobulaClient client = World.Join()) {
      client.Leave();
      CloseReason reason;
      string text;
      Check.True(!client.Poll(), "it is closed");
      Check.True(client.TryGetReason(out reason, out text), "there is a reason");
      Check.Equal(CloseReason.Left, reason);
      Check.True(text.Length > 0, "with a text");
      Check.Equal(ClientState.Closed, client.Status.State);
    }
  }

  [Test]
  public static void SpectatorsSeeButDoNotPlay() {
    using (MobulaClient client = World.Connect(ClientFlags.Spectate)) {
      World.Until(client, () => client.Status.State == ClientState.Playing && client.Status.Complete, "it watches");
      Check.True(client.Player.IsNone, "there is no player");
      Check.Throws(Result.WrongState, "", () => client.SetCommand(World.WalkCommand));
    }
  }

  [Test]
  public static void LevelsAreReceivedAndKept() {
    Level level = null;
    using (MobulaClient client = World.Connect(ClientFlags.Levels)) {
      World.Until(client, () => client.TryNextLevel(out level), "the level is here");
    }
    Check.Equal(32, level.Hash.Length);
    using (MobulaClient client = World.Connect(ClientFlags.Levels)) {
      Check.Throws(Result.BadLevel, "", () => client.AddLevel(new byte[100]));
      client.AddLevel(level.Bytes);
      World.Until(client, () => client.Status.Complete, "a mirror with a level");
      Level again;
      Check.True(!client.TryNextLevel(out again), "it is not received again");
    }
  }

  [Test]
  public static void AnotherSchemaIsRefused() {
    using (MobulaClient client = World.Create(EngineSchema.Bytes)) {
      client.ConnectUdp();
      CloseReason reason = CloseReason.None;
      string text;
      for (int steps = 0; steps < 1000 && client.Poll(20); ++steps) {}
      Check.True(client.TryGetReason(out reason, out text) && reason == CloseReason.Refused, "refused: " + reason);
    }
  }

  [Test]
  public static void RefusedCommandsAreCountedAndLogged() {
    LogLevel level;
    string line;
    MobulaClient.SetLogLevel(LogLevel.Trace);
    while (MobulaClient.TryNextLog(out level, out line)) {}
    using (MobulaClient client = World.Join()) {
      client.SetCommand(new byte[] { 1, 2, 3 });
      World.Until(client, () => client.Statistics.RefusedCommands > 0, "the command is refused");
    }
    MobulaClient.SetLogLevel(LogLevel.Warn);
    int lines = 0;
    for (; MobulaClient.TryNextLog(out level, out line); ++lines) Check.True(line.Length > 0, "a line has a text");
    Check.True(lines > 0, "the refusal is logged");
  }
}
