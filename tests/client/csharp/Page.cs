// Code of docs/csharp.md that no other program has. It is compiled, and never run.
using System;
using System.IO;
using System.Net.Sockets;
using Mobula;
using Mobula.Engine;

namespace CodeOfPage {
  struct Body : IComponent {
    public Vec3 Position, Velocity;
  }

  sealed class Walking : IRules {
    private Entity[] entities = new Entity[64];
    private Body[] bodies = new Body[64];

    public void Step(Prediction prediction, Step step) {
      foreach (Command command in prediction.Commands) {
        Body own;
        if (!prediction.TryRead(command.Entity, out own)) continue;
        own.Velocity.X += command.Bytes[0] == 'l' ? -1 : 1;
        prediction.Write(command.Entity, own);
        prediction.Emit("step", command.Number);
      }
      int count = prediction.Stepped<Body>(ref entities);
      if (bodies.Length < entities.Length) bodies = new Body[entities.Length];
      ReadOnlySpan<Entity> stepped = new ReadOnlySpan<Entity>(entities, 0, count);
      prediction.ReadColumn<Body>(stepped, bodies);
      for (int i = 0; i < count; ++i) bodies[i].Position.X += bodies[i].Velocity.X * step.Seconds;
      prediction.WriteColumn<Body>(stepped, bodies);
    }
  }

  abstract class Program {
    protected abstract void ShowReason(MobulaClient client);
    protected abstract void Play(Effect effect);
    protected abstract void Draw(Body body);

    public void PollFrames(MobulaClient client) {
      client.ConnectUdp();
      // each frame:
      if (!client.Poll()) ShowReason(client);
    }

    public void UseOwnSocket(MobulaClient client, Socket socket, byte[] buffer) {
      while (socket.Available > 0) client.Receive(new ReadOnlySpan<byte>(buffer, 0, socket.Receive(buffer)), MobulaClient.Now);
      client.Update(MobulaClient.Now);
      while (client.TryNextDatagram(buffer, out int size)) socket.Send(buffer, size, SocketFlags.None);
    }

    public void Command(MobulaClient client) {
      client.SetCommandSchema(File.ReadAllBytes("demo_commands.bfbs"));
      client.SetCommandJson("{\"body_type\": \"Move\", \"body\": {\"x\": 1}}");
    }

    public void Predict(MobulaClient client, IRules rules) {
      Prediction prediction = client.CreatePrediction(new PredictionOptions { Reads = "Surface" });
      // each frame, after Poll:
      prediction.Update(MobulaClient.Now, rules);
      foreach (Effect effect in prediction.Effects) Play(effect);
      if (prediction.TrySample(client.Player, out Body shown)) Draw(shown);
    }
  }
}
