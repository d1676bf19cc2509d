#include "tools/report/profiles/nsight_export.hpp"

#include "traces/errors/try.hpp"

namespace keyswap::tools {

Expected<Profile> read_nsight_export(std::filesystem::path const& path) {
    return input_error(path.string(),
                       "is an SQLite database, but this build of keyswap has no SQLite",
                       "install SQLite's library with its headers (Debian: "
                       "libsqlite3-dev) and build again");
}

} // namespace keyswap::tools
