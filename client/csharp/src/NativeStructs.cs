// Structs of client/c/mobula_client.h that only the library uses. Members have the order and the types of the header.
namespace Mobula {

internal unsafe struct NativeOptions {  // mobula_client_options
  internal uint StructSize;
  internal uint Flags;
  internal byte* Name;
  internal void* Token;
  internal ulong TokenSize;
  internal void* Schema;
  internal ulong SchemaSize;
}

internal unsafe struct NativeComponentInfo {  // mobula_component_info
  internal uint StructSize;
  internal uint Type;
  internal byte* Instance;
  internal uint Size;
  internal uint Entities;
}

internal unsafe struct NativeTypeInfo {  // mobula_type_info
  internal uint StructSize;
  internal uint Size;
  internal uint Alignment;
  internal uint Fields;
  internal byte* Name;
  internal void* DefaultValue;
}

internal unsafe struct NativeFieldInfo {  // mobula_field_info
  internal uint StructSize;
  internal uint Kind;
  internal byte* Path;
  internal uint Offset;
  internal uint Size;
  internal uint Count;
  internal uint Stride;
  internal uint Flags;
  internal uint EnumValues;
  internal double Low;
  internal double High;
  internal double Step;
  internal double Tolerance;
  internal uint ArrayLength;
  internal uint CountField;
}

internal unsafe struct NativeSmoothing {  // mobula_smoothing
  internal byte* Component;
  internal long Duration;
  internal double SnapDistance;
}

internal unsafe struct NativePredictionOptions {  // mobula_prediction_options
  internal uint StructSize;
  internal PredictionFlags Flags;
  internal byte* Rules;
  internal byte* Reads;
  internal uint InputDelayLeast;
  internal uint InputDelayMost;
  internal uint PredictedMax;
  internal uint SmoothingCount;
  internal NativeSmoothing* Smoothing;
  internal long SwitchDuration;
  internal byte* PositionComponent;
  internal byte* PositionField;
}

}
