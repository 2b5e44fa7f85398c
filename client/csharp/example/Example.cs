// Joins the demo, moves along the x axis, and prints its position once a second:
// Example.exe ADMIN_URL DEMO_COMMANDS.bfbs [SECONDS]
using System;
using System.IO;
using System.Net.Http;
using Mobula;
using Mobula.Engine;

static class Example {
  // The admin address of a server in development hands out connect tokens.
  static string RequestToken(string admin) {
    HttpContent body = new StringContent("{\"count\": 1}");
    HttpResponseMessage answer = new HttpClient().PostAsync(admin + "/api/tokens", body).Result;
    return answer.Content.ReadAsStringAsync().Result.Split('"')[3];
  }

  static void Main(string[] arguments) {
    uint left = arguments.Length > 2 ? uint.Parse(arguments[2]) : uint.MaxValue, shown = 0;
    ClientOptions options = new ClientOptions { Name = "csharp", TokenText = RequestToken(arguments[0]) };
    using (MobulaClient client = new MobulaClient(options)) {
      client.SetCommandSchema(File.ReadAllBytes(arguments[1]));
      client.ConnectUdp();
      while (left > 0 && client.Poll(20)) {
        Status now = client.Status;
        if (now.Tick < shown + now.TicksPerSecond || !client.TryRead(client.Player, out Transform at)) continue;
        Console.WriteLine("tick {0}: {1} entities, I am at ({2:F2}, {3:F2}, {4:F2})", now.Tick, now.Entities,
                          at.Position.X, at.Position.Y, at.Position.Z);
        client.SetCommandJson("{\"body_type\": \"Move\", \"body\": {\"x\": 1}}");
        shown = now.Tick;
        --left;
      }
      if (client.TryGetReason(out CloseReason reason, out string text)) {
        Console.WriteLine("closed: {0}, {1}", reason, text);
      }
    }
  }
}
