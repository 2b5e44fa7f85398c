using System;
using System.Threading;
using Mobula;

/// <summary>Two threads in one client. run.sh runs it in a process of its own: a library with assertions ends
/// that.</summary>
static class BusyTest {
  [Test]
  public static void SecondThreadIsRefusedAndTheClientRemains() {
    using (MobulaClient client = World.Join()) {
      using (new Poller(client)) {
        Check.True(IsBusy(() => { Statistics read = client.Statistics; }), "a second thread is refused");
        Check.True(IsBusy(client.Dispose), "a client in a call is not destroyed");
      }
      uint tick = client.Status.Tick;
      World.Until(client, () => client.Status.Tick > tick, "another tick");
      Check.Equal(ClientState.Playing, client.Status.State);
      Check.True(client.Statistics.Deltas > 0, "deltas are counted");
    }
  }

  /// <summary>Repeats a call until it comes during one of the poller. Returns whether it was refused as it should.</summary>
  static bool IsBusy(Action call) {
    for (int tries = 0; tries < 10000000; ++tries) {
      try {
        call();
      } catch (MobulaException error) {
        Check.Equal(Result.Busy, error.Code, error.Message);
        return true;
      }
    }
    return false;
  }

  /// <summary>A thread that polls a client. Almost all of its time it waits in a call.</summary>
  sealed class Poller : IDisposable {
    readonly Thread thread;
    volatile bool ended;
    Exception failure;

    public Poller(MobulaClient client) {
      thread = new Thread(() => Run(client));
      thread.Start();
    }

    void Run(MobulaClient client) {
      try {
        while (!ended) PollUnlessBusy(client);
      } catch (Exception error) {
        failure = error;
      }
    }

    // The calls of the other thread may come first.
    static void PollUnlessBusy(MobulaClient client) {
      try {
        client.Poll(20);
      } catch (MobulaException error) {
        if (error.Code != Result.Busy) throw;
      }
    }

    public void Dispose() {
      ended = true;
      thread.Join();
      if (failure != null) throw new CheckFailed("the polling thread ended: " + failure);
    }
  }
}
