#include "traces/records/operation.hpp"

#include "traces/records/enum_names.hpp"

#include <array>

namespace keyswap {

namespace {

constexpr std::array<EnumName<Operation>, 4> operation_names{{{"sort", Operation::sort},
                                                              {"multisplit", Operation::multisplit},
                                                              {"histogram", Operation::histogram},
                                                              {"sssp", Operation::sssp}}};

} // namespace

std::string_view to_string(Operation operation) {
    return name_of<Operation>(operation_names, operation);
}

Expected<Operation> parse_operation(std::string_view text) {
    return parse<Operation>(operation_names, text, "operation");
}

} // namespace keyswap
