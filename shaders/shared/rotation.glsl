#ifndef TALUS_ROTATION
#define TALUS_ROTATION
#include "shared/laws/dialect.h"
#include "shared/laws/sine.h"
#include "shared/laws/rotation.h"
#endif
