#pragma once

/// \file File names with one file per rank.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace keyswap::model {

inline constexpr std::string_view rank_mark = "{rank}";

/// The name with a number in place of each mark.
[[nodiscard]] inline std::string
with_number(std::string name, std::string_view mark, std::string_view number) {
    for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark)) {
        name.replace(at, mark.size(), number);
    }
    return name;
}

/// True if the name contains "{rank}" and thus stands for one file per rank: "part-{rank}.npy".
[[nodiscard]] inline bool is_one_file_a_rank(std::string_view name) {
    return name.find(rank_mark) != std::string_view::npos;
}

/// The name of a rank's file: "part-3.npy".
[[nodiscard]] inline std::string file_of_rank(std::string name, std::uint32_t rank) {
    return with_number(std::move(name), rank_mark, std::to_string(rank));
}

} // namespace keyswap::model
