#include "simulator/platform/platform.hpp"
#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/platform_text.hpp"

namespace keyswap::simulator {

Expected<Platform> load_platform(std::string_view name_or_path) {
    if (is_cluster(name_or_path)) {
        return load_cluster(name_or_path);
    }
    return load_node(name_or_path);
}

} // namespace keyswap::simulator
