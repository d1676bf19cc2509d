#include "tools/build/process_limits.hpp"
#include "tools/commands/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Opens what the caller left closed, so that no file of ours gets the number of a standard stream
/// and what is printed. Writing to it fails, as it would to a closed one.
void open_standard_streams() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            ::open("/dev/null", O_RDONLY); // gets the lowest free number, which is this one
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    keyswap::tools::ProcessLimits const limits;
    return static_cast<int>(keyswap::tools::run(argc, argv));
}
