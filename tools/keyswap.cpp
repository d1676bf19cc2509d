#include "tools/build/process_limits.hpp"
#include "tools/commands/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Opens what the caller left closed, so that no file of ours gets the number of a standard stream
/// and what is printed. Reading from it and writing to it fail, as from and to a closed one.
void open_standard_streams() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            // Gets the lowest free number, which is this one.
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    keyswap::tools::ProcessLimits const limits;
    return static_cast<int>(keyswap::tools::run(argc, argv));
}
