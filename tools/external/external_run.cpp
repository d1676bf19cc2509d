#include "tools/external/external_run.hpp"

namespace keyswap::tools {

Expected<void> ExternalRun::poll() const {
    if (control.wants_end && control.wants_end()) {
        return tl::unexpected(InputError{
            "sort",
            "was interrupted",
            "run the same command again to continue, or remove " + job.scratch.string() + " and " +
                job.partial(0).string() + (job.outputs.size() > 1 ? " and the other parts" : "")});
    }
    return {};
}

} // namespace keyswap::tools
