using System;

namespace Mobula {

/// <summary>A mistake of the program, or a failure. The client remains as it was before the call.</summary>
public sealed class MobulaException : Exception {
  public Result Code { get; }

  public MobulaException(Result code, string text) : base(text) { Code = code; }
}

}
