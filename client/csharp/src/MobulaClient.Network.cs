using System;
using System.Runtime.InteropServices;

namespace Mobula {

public sealed unsafe partial class MobulaClient {
  /// <summary>Opens the library's UDP socket. `address` is HOST, HOST:PORT or udp://HOST:PORT; null uses the addresses of the token, one after
  /// the other.</summary>
  public void ConnectUdp(string address = null) {
    fixed (byte* text = Utf8.Bytes(address)) Check(NativeMethods.mobula_client_connect_udp(handle, text));
  }

  /// <summary>Receives, updates and sends over the library's socket. Waits at most `timeoutMilliseconds` for a
  /// datagram. Returns false when the connection is closed for good, or needs a new token
  /// (Status.CanReconnect).</summary>
  public bool Poll(int timeoutMilliseconds = 0) {
    int result = NativeMethods.mobula_client_poll(handle, (uint)Math.Max(timeoutMilliseconds, 0));
    return EndStep(result);
  }

  /// <summary>Returns the server's address `at`, from 0, or null if there are fewer. Status.Server is the current
  /// one.</summary>
  public string ServerAddress(int at) {
    uint length = 0;
    byte* text = stackalloc byte[Utf8.StackBytes];
    int result = NativeMethods.mobula_client_server_address(handle, (uint)at, text, Utf8.StackBytes, &length);
    return Check(result) == Result.Ok ? Utf8.Read(text) : null;
  }

  /// <summary>Processes a datagram of the server. Damaged and foreign ones are dropped.</summary>
  public void Receive(ReadOnlySpan<byte> datagram, long now) {
    fixed (byte* bytes = &MemoryMarshal.GetReference(datagram)) {
      Check(NativeMethods.mobula_client_receive(handle, bytes, (uint)datagram.Length, now));
    }
    eventsKnown = false;  // their bytes may have moved
    ReadStatus();
  }

  /// <summary>Takes a step with a socket of the program. Returns false when the connection is closed.</summary>
  public bool Update(long now) { return EndStep(NativeMethods.mobula_client_update(handle, now)); }

  /// <summary>Writes the next datagram to send to the server, or returns false if none is left. A buffer of
  /// DatagramBytesMax bytes is large enough.</summary>
  public bool TryNextDatagram(Span<byte> buffer, out int size) {
    uint written = 0;
    int result;
    fixed (byte* bytes = &MemoryMarshal.GetReference(buffer)) {
      result = NativeMethods.mobula_client_next_datagram(handle, bytes, (uint)buffer.Length, &written);
    }
    size = (int)written;
    return Check(result) == Result.Ok;
  }

  /// <summary>Returns the time by which the program should call Update, if no datagram arrives before.</summary>
  public long NextWakeup(long now) {
    long at = 0;
    Check(NativeMethods.mobula_client_next_wakeup(handle, now, &at));
    return at;
  }

  /// <summary>Reports that the program's stream to the server has ended.</summary>
  public void PipeClosed(string why, long now) {
    fixed (byte* text = Utf8.Bytes(why)) Check(NativeMethods.mobula_client_pipe_closed(handle, text, now));
    ReadStatus();
  }

  /// <summary>Leaves the server. With a socket of the program, TryNextDatagram then returns the farewell.</summary>
  public void Leave() {
    Check(NativeMethods.mobula_client_leave(handle));
    ReadStatus();
  }

  /// <summary>Resumes as the same player, if Status.CanRejoin. The program opens a new socket before. The library's
  /// socket rejoins by itself.</summary>
  public void Rejoin(long now) {
    Check(NativeMethods.mobula_client_rejoin(handle, now));
    ReadStatus();
  }

  /// <summary>Starts a new session with a new token, if the connection is closed.</summary>
  public void Reconnect(byte[] token, long now) {
    fixed (byte* bytes = token) {
      Check(NativeMethods.mobula_client_reconnect(handle, bytes, token == null ? 0 : (ulong)token.Length, now));
    }
    ReadStatus();
  }

  private bool EndStep(int result) {
    EndStep();
    if (result != (int)Result.Closed) Check(result);
    ReadStatus();
    return result != (int)Result.Closed;
  }

  // Forgets what the step before has read.
  private void EndStep() { changesKnown = eventsKnown = false; }

  private void ReadStatus() {
    Status read = default(Status);
    read.StructSize = (uint)sizeof(Status);
    Check(NativeMethods.mobula_client_status(handle, &read));
    status = read;
  }
}

}
