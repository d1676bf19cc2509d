#include "traces/format/full_write.hpp"

#include <cerrno>
#include <cstddef>
#include <unistd.h>

namespace keyswap {

int write_fully(int descriptor, std::span<char const> bytes, std::optional<std::uint64_t> offset) {
    while (!bytes.empty()) {
        ssize_t const written =
            offset ? ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(*offset))
                   : ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
            offset = offset ? std::optional(*offset + static_cast<std::uint64_t>(written)) : offset;
        }
    }
    return 0;
}

} // namespace keyswap
