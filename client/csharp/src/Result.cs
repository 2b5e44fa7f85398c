namespace Mobula {

/// <summary>Outcome of a call, as in mobula_client.h.</summary>
public enum Result {
  Ok = 0,
  Nothing = 1,
  InvalidArgument = -1,
  InvalidClient = -2,
  BufferTooSmall = -3,
  Busy = -4,
  Closed = -5,
  WrongState = -6,
  BadToken = -7,
  BadSchema = -8,
  BadJson = -9,
  BadLevel = -10,
  BadAddress = -11,
  Socket = -12,
  NoMirror = -13,
  NoEntity = -14,
  NoComponent = -15,
  NoProperty = -16,
  TooLarge = -17,
  TooManyClients = -18,
  NoAccess = -19,
  BadRules = -20
}

}
