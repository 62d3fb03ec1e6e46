#include "cli/commands/read_contract.h"

#include "cboard/base/file.h"
#include "cli/commands.h"

namespace cboard::cli {

Result<analysis::Contract> ReadContract(const std::string& path) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, std::uint64_t{16} << 20));
  Result<analysis::Contract> contract = analysis::ParseContract(text);
  if (!contract) return Fail(Annotate(std::move(contract).error(), path));
  for (const analysis::ContractWarning& remark : contract->remarks) {
    PrintError(path + ": " + remark.text);
  }
  return contract;
}

}  // namespace cboard::cli
