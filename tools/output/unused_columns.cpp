#include "tools/output/unused_columns.hpp"

#include "tools/output/captured_output.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/measurements/measurement.hpp"

#include <ostream>

namespace keyswap::tools {

void remark_unused_columns(std::string_view text, std::string const& file) {
    auto const columns = unused_columns(text);
    if (!columns.empty()) {
        std::string const names =
            joined_text(columns, ", ", [](std::string const& name) { return "'" + name + "'"; });
        remark_stream() << "Note: " << printable_text(file)
                        << ": has columns without effect: " << printable_text(names) << ".\n";
    }
}

} // namespace keyswap::tools
