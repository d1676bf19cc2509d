#pragma once

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Names the columns of a file of measurements that have no effect, as a remark.
/// \param file name for the remark
void remark_unused_columns(std::string_view text, std::string const& file);

} // namespace keyswap::tools
