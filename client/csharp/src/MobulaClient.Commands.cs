using System;
using System.Runtime.InteropServices;

namespace Mobula {

/// <summary>A level that was received, to be kept by its hash.</summary>
public sealed class Level {
  public byte[] Hash { get; internal set; }
  public byte[] Bytes { get; internal set; }
}

public sealed unsafe partial class MobulaClient {
  private const int HashBytes = 32;

  /// <summary>Sets the command that the next step sends. A second one before that step replaces it.</summary>
  public void SetCommand(ReadOnlySpan<byte> command) {
    fixed (byte* bytes = &MemoryMarshal.GetReference(command)) {
      Check(NativeMethods.mobula_client_set_command(handle, bytes, (uint)command.Length));
    }
  }

  /// <summary>Gives the .bfbs of the game's commands, for SetCommandJson.</summary>
  public void SetCommandSchema(ReadOnlySpan<byte> bfbs) {
    fixed (byte* bytes = &MemoryMarshal.GetReference(bfbs)) {
      Check(NativeMethods.mobula_client_set_command_schema(handle, bytes, (ulong)bfbs.Length));
    }
  }

  /// <summary>Sets a command from JSON of the schema's root table, such as
  /// {"body_type": "Move", "body": {"x": 1}}.</summary>
  public void SetCommandJson(string json) {
    if (json == null) throw new ArgumentNullException(nameof(json));
    int size = Utf8.Size(json);
    if (size > Utf8.StackBytes) {
      fixed (byte* bytes = Utf8.Bytes(json)) Check(NativeMethods.mobula_client_set_command_json(handle, bytes));
      return;
    }
    byte* text = stackalloc byte[Utf8.StackBytes];
    Utf8.Write(json, text, size);
    Check(NativeMethods.mobula_client_set_command_json(handle, text));
  }

  /// <summary>Gives a level that the program has kept. The client copies it.</summary>
  public void AddLevel(ReadOnlySpan<byte> level) {
    fixed (byte* bytes = &MemoryMarshal.GetReference(level)) {
      Check(NativeMethods.mobula_client_add_level(handle, bytes, (ulong)level.Length));
    }
  }

  /// <summary>Returns a level that was received, once, or false if there is none.</summary>
  public bool TryNextLevel(out Level level) {
    level = null;
    byte* hash = stackalloc byte[HashBytes];
    void* bytes = null;
    ulong size = 0;
    if (Check(NativeMethods.mobula_client_next_level(handle, hash, &bytes, &size)) != Result.Ok) return false;
    level = new Level {
      Hash = new ReadOnlySpan<byte>(hash, HashBytes).ToArray(),
      Bytes = new ReadOnlySpan<byte>(bytes, checked((int)size)).ToArray()
    };
    GC.KeepAlive(this);  // the bytes belong to the client
    return true;
  }
}

}
