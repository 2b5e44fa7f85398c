using System;
using System.Text;
using Demo;
using Mobula;

/// <summary>The library without a server: mistakes are refused by name.</summary>
static class MisuseTest {
  /// <summary>A struct that was not generated.</summary>
  struct Unnamed : IComponent {}

  [Component("Health", 8, "current:uint16@0")]
  struct WrongSize : IComponent {
    public int Value;
  }

  [Test]
  public static void LibraryIsOfThisVersion() {
    Check.Equal(new Version(0, 2, 0), MobulaClient.LibraryVersion);
    Check.True(MobulaClient.ProtocolVersion > 0, "the protocol has a version");
    Check.True(MobulaClient.Now <= MobulaClient.Now, "time does not decrease");
    foreach (Result result in Enum.GetValues(typeof(Result))) {
      Check.True(!string.IsNullOrEmpty(MobulaClient.Describe(result)), result + " has a text");
    }
  }

  [Test]
  public static void TokensThatAreNoneAreRefused() {
    foreach (byte[] token in new[] { new byte[1], new byte[2047], new byte[2048] }) {
      Check.Throws(Result.BadToken, "", () => new MobulaClient(new ClientOptions { Token = token }));
    }
    Check.Throws(Result.BadToken, "", () => new MobulaClient(new ClientOptions { TokenText = "TkVUQ09ERSAxLjAyAA==" }));
  }

  [Test]
  public static void MissingTokenIsRefused() {
    Check.Throws(Result.InvalidArgument, "token", () => new MobulaClient(new ClientOptions()));
    Check.Throws(Result.InvalidArgument, "token", () => new MobulaClient(new ClientOptions { Token = new byte[0] }));
    bool refused = false;
    try {
      new MobulaClient(null);
    } catch (ArgumentNullException) {
      refused = true;
    }
    Check.True(refused, "a client without options is refused");
  }

  [Test]
  public static void LogLevelsOutOfRangeAreRefused() {
    Check.Throws(Result.InvalidArgument, "", () => MobulaClient.SetLogLevel((LogLevel)17));
    MobulaClient.SetLogLevel(LogLevel.Warn);
  }

  [Test]
  public static void StructsThatAreNotGeneratedAreRefused() {
    using (MobulaClient client = World.Connect()) {
      Check.Throws(Result.InvalidArgument, "[Component]", () => client.Column<Unnamed>());
      Check.Throws(Result.BadSchema, "4 bytes instead of 8", () => client.Column<WrongSize>());
    }
  }

  [Test]
  public static void DisposedClientsRefuseEachCall() {
    MobulaClient client = World.Connect();
    client.Dispose();
    client.Dispose();
    Health health;
    Check.Equal(ClientState.Closed, client.Status.State);
    Check.Throws(Result.InvalidClient, "", () => client.Poll());
    Check.Throws(Result.InvalidClient, "", () => client.ConnectUdp());
    Check.Throws(Result.InvalidClient, "", () => client.SetCommandJson("{}"));
    Check.Throws(Result.InvalidClient, "", () => { int count = client.Changes.Length; });
    Check.True(!client.TryRead(client.Player, out health), "there is no component");
  }

  [Test]
  public static void NothingIsReadBeforeTheServerAccepts() {
    using (MobulaClient client = World.Connect(ClientFlags.Levels)) {
      Entity[] entities = null;
      Health[] values = null;
      Health health;
      Value value;
      CloseReason reason;
      string text;
      Level level;
      Check.Equal(ClientState.Connecting, client.Status.State);
      Check.Equal(0u, client.Status.Mirror);
      Check.Equal(0, client.ReadEntities(ref entities));
      Check.Equal(0, client.ReadColumn(ref entities, ref values));
      Check.Equal(0, client.Changes.Length);
      Check.Equal(0, client.Events.Length);
      Check.Equal(0, client.ReadSchema().Count);
      Check.True(client.ReadSchemaBytes() == null, "there is no schema");
      Check.True(!client.TryRead(new Entity(1, 1), out health), "there is no component");
      Check.True(!client.TryReadValue(new Entity(1, 1), "Health/current", out value), "there is no value");
      Check.True(client.ReadJson(new Entity(1, 1), "Health") == null, "there is no JSON");
      Check.True(!client.ReadClock(MobulaClient.Now).Known, "there is no clock");
      Check.True(!client.TryGetReason(out reason, out text), "it is not closed");
      Check.True(!client.TryNextLevel(out level), "there is no level");
    }
  }

  [Test]
  public static void CallsOfAnotherStateAreRefused() {
    using (MobulaClient client = World.Connect()) {
      Check.Throws(Result.WrongState, "", () => client.ConnectUdp());
      Check.Throws(Result.WrongState, "", () => client.Update(MobulaClient.Now));
      Check.Throws(Result.WrongState, "", () => client.Receive(new byte[100], MobulaClient.Now));
      Check.Throws(Result.WrongState, "", () => client.Rejoin(MobulaClient.Now));
      Check.True(client.Poll(), "the client remains usable");
    }
  }

  [Test]
  public static void ForgottenClientsAreDestroyedByTheCollector() {
    const int most = 16384;  // clients of a process at a time
    byte[] token = Encoding.ASCII.GetBytes(World.Token());
    for (int i = 0; i < most + 1000; ++i) {
      new MobulaClient(new ClientOptions { Token = token });
      if (i % 500 != 0) continue;
      GC.Collect();
      GC.WaitForPendingFinalizers();
    }
  }
}
