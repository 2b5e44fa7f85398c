using System;
using System.Diagnostics;
using System.IO;
using System.Net.Http;
using System.Text;
using Mobula;

/// <summary>A running server, which run.sh has started, and clients of it.</summary>
static class World {
  static readonly string admin = Environment.GetEnvironmentVariable("TEST_ADMIN");
  static readonly string folder = Environment.GetEnvironmentVariable("TEST_FOLDER");

  /// <summary>The demo's commands; the build makes their schema.</summary>
  public static readonly byte[] CommandSchema = File.ReadAllBytes(Path.Combine(folder, "demo_commands.bfbs"));
  public static readonly byte[] WalkCommand = File.ReadAllBytes(Path.Combine(folder, "walk.bin"));

  public static string Token() {
    using (HttpClient http = new HttpClient()) {
      StringContent body = new StringContent("{\"count\": 1}", Encoding.UTF8, "application/json");
      return http.PostAsync(admin + "/api/tokens", body).Result.Content.ReadAsStringAsync().Result.Split('"')[3];
    }
  }

  public static MobulaClient Connect(ClientFlags flags = ClientFlags.None) {
    MobulaClient client = new MobulaClient(new ClientOptions { Name = "tester", Flags = flags, TokenText = Token() });
    client.ConnectUdp();
    return client;
  }

  /// <summary>Creates a client that requires a schema, without a socket.</summary>
  public static MobulaClient Create(byte[] schema) {
    return new MobulaClient(new ClientOptions { TokenText = Token(), Schema = schema });
  }

  /// <summary>Connects, and polls until the player's entity is in the mirror with all that it sees.</summary>
  public static MobulaClient Join() {
    MobulaClient client = Connect();
    EntityInfo info;
    Until(client, () => client.Status.Complete && client.TryGetEntity(client.Player, out info),
          "the player is in the mirror");
    return client;
  }

  public static void Until(MobulaClient client, Func<bool> condition, string what) {
    Stopwatch since = Stopwatch.StartNew();
    while (!condition()) {
      if (!client.Poll(20)) {
        CloseReason reason;
        string text;
        client.TryGetReason(out reason, out text);
        throw new CheckFailed("closed before " + what + ": " + reason + ", " + text);
      }
      if (since.ElapsedMilliseconds > 60000) throw new CheckFailed("not within a minute: " + what);
    }
  }
}
