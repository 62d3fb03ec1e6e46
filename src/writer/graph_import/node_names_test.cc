#include "writer/graph_import/node_names.h"

#include <gtest/gtest.h>

namespace cboard::writer {
namespace {

TEST(NodeName, DropsWhatTensorBoardReadsAsAnOutputNumber) {
  EXPECT_EQ(NodeName("conv:0"), "conv");
  EXPECT_EQ(NodeName("conv:12"), "conv_12");
  EXPECT_EQ(NodeName("^conv"), "_conv");
}

TEST(NodeName, LeavesOtherNamesAlone) {
  for (const char* name : {"", "conv", "a/b/conv", "conv:", "a:b", "1:x", ":0", "Größe"}) {
    EXPECT_EQ(NodeName(name), name);
  }
}

TEST(UniqueNames, NumbersNamesThatAreTaken) {
  UniqueNames names;
  EXPECT_EQ(names.Take("x"), "x");
  EXPECT_EQ(names.Take("x_2"), "x_2");
  EXPECT_EQ(names.Take("x"), "x_3");
  EXPECT_EQ(names.Take("x:0"), "x_4");
  EXPECT_EQ(names.Take("y"), "y");
}

}  // namespace
}  // namespace cboard::writer
