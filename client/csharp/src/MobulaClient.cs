using System;
using System.Text;

namespace Mobula {

/// <summary>A client that mirrors the world of a server.
///
/// A step of the client is Poll with the library's socket, or Receive and Update with one of the program. After it
/// Status, Changes and Events are those of the step. No call of a step makes garbage, except those that return a string
/// and arrays that grow.
///
/// A Try function returns false if there is nothing. A mistake or a failure is a MobulaException. Not two threads at a
/// time may use a client.</summary>
public sealed unsafe partial class MobulaClient : IDisposable {
  /// <summary>Change.Component if a change is of no component.</summary>
  public const uint NoComponent = 0xffffffff;
  /// <summary>Bytes of the largest datagram in either direction.</summary>
  public const int DatagramBytesMax = 1400;

  private NativeClient handle;
  private Status status;

  /// <summary>Creates a client that connects to the server of the token. Nothing is sent before the first
  /// step.</summary>
  public MobulaClient(ClientOptions options) : this(options, Now) {}

  public MobulaClient(ClientOptions options, long now) {
    if (options == null) throw new ArgumentNullException(nameof(options));
    byte[] name = Utf8.Bytes(options.Name);
    NativeClient created;
    int result;
    fixed (byte* nameBytes = name, token = options.Token, schema = options.Schema) {
      NativeOptions native = default(NativeOptions);
      native.StructSize = (uint)sizeof(NativeOptions);
      native.Flags = (uint)options.Flags;
      native.Name = nameBytes;
      native.Token = token;
      native.TokenSize = options.Token == null ? 0 : (ulong)options.Token.Length;
      native.Schema = schema;
      native.SchemaSize = options.Schema == null ? 0 : (ulong)options.Schema.Length;
      result = NativeMethods.mobula_client_create(&native, now, &created);
    }
    Check(result);
    handle = created;
    ReadStatus();
  }

  ~MobulaClient() {
    if (!IsCreated) return;  // also where the library itself could not be loaded
    // Another thread may still be in the last call for this client. A later collection tries again.
    if (NativeMethods.mobula_client_destroy(handle) == (int)Result.Busy) GC.ReRegisterForFinalize(this);
  }

  /// <summary>Destroys the client, and leaves the server if it is connected over the library's socket. While another
  /// thread is in a call for it, this throws Result.Busy and the client remains as it is.</summary>
  public void Dispose() {
    if (!IsCreated) return;
    int result = NativeMethods.mobula_client_destroy(handle);
    if (result != (int)Result.InvalidClient) Check(result);  // another thread may have destroyed it meanwhile
    handle = default(NativeClient);
    status = default(Status);
    status.State = ClientState.Closed;
    EndStep();
    GC.SuppressFinalize(this);
  }

  /// <summary>Monotonic time in nanoseconds.</summary>
  public static long Now { get { return NativeMethods.mobula_now(); } }

  /// <summary>Version of the library, such as 0.2.0.</summary>
  public static Version LibraryVersion {
    get {
      uint version = NativeMethods.mobula_version();
      return new Version((int)(version >> 16 & 0xff), (int)(version >> 8 & 0xff), (int)(version & 0xff));
    }
  }

  /// <summary>Version of the wire protocol. A server with another one refuses the client.</summary>
  public static uint ProtocolVersion { get { return NativeMethods.mobula_protocol_version(); } }

  /// <summary>Returns a short text for a result.</summary>
  public static string Describe(Result result) { return Utf8.Read(NativeMethods.mobula_strerror((int)result)); }

  /// <summary>The state as of the last step.</summary>
  public Status Status { get { return status; } }
  /// <summary>The player's own entity; none for a spectator. It may change with each step.</summary>
  public Entity Player { get { return status.Player; } }

  /// <summary>Returns why the connection is closed, or false while it is not.</summary>
  public bool TryGetReason(out CloseReason reason, out string text) {
    int code = 0;
    uint length = 0;
    byte* bytes = stackalloc byte[Utf8.StackBytes];
    int result = NativeMethods.mobula_client_reason(handle, &code, bytes, Utf8.StackBytes, &length);
    if (result == (int)Result.BufferTooSmall) result = (int)Result.Ok;  // the text is cut
    reason = (CloseReason)code;
    text = result == (int)Result.Ok ? Utf8.Read(bytes) : null;
    return Check(result) == Result.Ok;
  }

  /// <summary>Creates the client's prediction; see the C header. A client has one at a time.</summary>
  public Prediction CreatePrediction(PredictionOptions options = null) {
    return new Prediction(this, options ?? new PredictionOptions());
  }

  /// <summary>Writes counters since the client was created, and estimates of the path.</summary>
  public Statistics Statistics {
    get {
      Statistics statistics = default(Statistics);
      statistics.StructSize = (uint)sizeof(Statistics);
      Check(NativeMethods.mobula_client_statistics(handle, &statistics));
      return statistics;
    }
  }

  /// <summary>Sets the least level of lines that are kept, for all clients of the process.</summary>
  public static void SetLogLevel(LogLevel level) {
    Check(NativeMethods.mobula_set_log_level((int)level));
  }

  /// <summary>Removes the oldest line of the log of all clients, or returns false if there is none.</summary>
  public static bool TryNextLog(out LogLevel level, out string text) {
    int code = 0;
    uint length = 0;
    byte* bytes = stackalloc byte[Utf8.StackBytes];
    int result = NativeMethods.mobula_next_log(&code, bytes, Utf8.StackBytes, &length);
    if (result == (int)Result.BufferTooSmall) {
      fixed (byte* all = new byte[length + 1]) {
        result = NativeMethods.mobula_next_log(&code, all, length + 1, &length);
        text = result == (int)Result.Ok ? Utf8.Read(all) : null;
      }
    } else {
      text = result == (int)Result.Ok ? Utf8.Read(bytes) : null;
    }
    level = (LogLevel)code;
    return Check(result) == Result.Ok;
  }

  /// <summary>Returns a result that is no error, and throws one that is.</summary>
  internal static Result Check(int result) {
    if (result < 0) throw Error((Result)result);
    return (Result)result;
  }

  /// <summary>As Check, for functions that look for an entity or a component: returns false if there is none.</summary>
  internal static bool Found(int result) {
    Result code = (Result)result;
    bool missing = code == Result.NoEntity || code == Result.NoComponent || code == Result.NoMirror;
    return !missing && Check(result) == Result.Ok;
  }

  /// <summary>As Check, for arrays: a short one is no error, since the count is returned.</summary>
  internal static int Count(int result, uint count) {
    if (result == (int)Result.NoComponent || result == (int)Result.NoMirror) return 0;
    if (result != (int)Result.BufferTooSmall) Check(result);
    return (int)count;
  }

  private static MobulaException Error(Result code) {
    uint length = 0;
    byte* bytes = stackalloc byte[Utf8.StackBytes];
    int result = NativeMethods.mobula_error_text(bytes, Utf8.StackBytes, &length);
    bool known = result == (int)Result.Ok || result == (int)Result.BufferTooSmall;
    string text = known ? Utf8.Read(bytes) : "";
    return new MobulaException(code, text.Length == 0 ? Describe(code) : Describe(code) + ": " + text);
  }

  internal NativeClient Handle { get { return handle; } }
  private bool IsCreated { get { return handle.Index != 0 || handle.Generation != 0; } }
}

}
