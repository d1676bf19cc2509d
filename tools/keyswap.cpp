#include "tools/build/process_limits.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/output/closed_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Opens standard streams closed by the caller, so that no other file gets their descriptors and
/// receives printed text. Reads and writes on them fail, as on closed ones.
void open_standard_streams() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            // Returns the lowest free descriptor, which is this one.
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    keyswap::tools::handle_closed_pipe();
    keyswap::tools::ProcessLimits const limits;
    return static_cast<int>(keyswap::tools::run(argc, argv));
}
