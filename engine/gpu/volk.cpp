// The definitions of volk, under the names of talus_volk_names.h.
#include "engine/gpu/vulkan.h"
#define VOLK_IMPLEMENTATION
#include <volk.h>
