#include "traces/records/operation.hpp"

#include "traces/records/enum_names.hpp"

#include <algorithm>
#include <array>

namespace keyswap {

namespace {

constexpr std::array<EnumName<Operation>, 5> operation_names{
    {{"sort", Operation::sort},
     {"multisplit", Operation::multisplit},
     {"histogram", Operation::histogram},
     {"sssp", Operation::sssp},
     {"external-sort", Operation::external_sort}}};

} // namespace

std::string_view to_string(Operation operation) {
    return name_of<Operation>(operation_names, operation);
}

Expected<Operation> parse_operation(std::string_view text, int version) {
    auto const later = std::ranges::find_if(operation_names, [&](EnumName<Operation> const& name) {
        return operation_version(name.value) > version;
    });
    return parse<Operation>({operation_names.begin(), later}, text, "operation");
}

} // namespace keyswap
