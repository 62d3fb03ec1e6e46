// Field numbers of onnx.proto, for the messages that graph edits change.
#pragma once

namespace cboard::runtime {

inline constexpr int kModelGraph = 7;
inline constexpr int kGraphNode = 1, kGraphName = 2, kGraphInitializer = 5, kGraphInput = 11,
                     kGraphOutput = 12, kGraphSparseInitializer = 15;
inline constexpr int kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOperator = 4,
                     kNodeAttribute = 5, kNodeDomain = 7, kNodeOverload = 8;
inline constexpr int kAttributeName = 1, kAttributeInt = 3, kAttributeGraph = 6,
                     kAttributeType = 20;
inline constexpr int kIntAttribute = 2;  // AttributeProto.INT.
inline constexpr int kTensorDims = 1, kTensorType = 2, kTensorName = 8, kTensorRawData = 9;
inline constexpr int kSparseValues = 1;
inline constexpr int kValueInfoName = 1, kValueInfoType = 2, kTypeTensor = 1;
inline constexpr int kTensorTypeElement = 1, kTensorTypeShape = 2, kShapeSize = 1, kSizeNumber = 1;

}  // namespace cboard::runtime
